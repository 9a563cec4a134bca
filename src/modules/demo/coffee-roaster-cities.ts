import { city, type DemoCity, district } from './demo-address.ts';

const britain = { country: 'GB', language: 'en', timeZone: 'Europe/London' } as const;
const ireland = { country: 'IE', language: 'en', timeZone: 'Europe/Dublin' } as const;
const france = { country: 'FR', language: 'fr', timeZone: 'Europe/Paris' } as const;

export const coffeeRoasterCities: readonly DemoCity[] = [
  city(
    { ...britain, name: 'London', province: 'England', phone: '+442079460xxx' },
    district('EC1M 6HB', 51.5215, -0.1035, 'St John Street', 'Cowcross Street', 'Clerkenwell Road'),
    district('E8 1HR', 51.5455, -0.057, 'Mare Street', 'Graham Road', 'Dalston Lane'),
    district('SE15 4QL', 51.471, -0.069, 'Rye Lane', 'Bellenden Road', 'Peckham High Street'),
  ),
  city(
    { ...britain, name: 'Manchester', province: 'England', phone: '+441614960xxx' },
    district('M4 1HQ', 53.484, -2.236, 'Oldham Street', 'Tib Street', 'Thomas Street'),
    district('M20 6TR', 53.417, -2.232, 'Wilmslow Road', 'Burton Road', 'School Lane'),
    district('M21 9AN', 53.442, -2.276, 'Barlow Moor Road', 'Beech Road', 'Manchester Road'),
  ),
  city(
    { ...britain, name: 'Birmingham', province: 'England', phone: '+441214960xxx' },
    district('B2 4QA', 52.4795, -1.899, 'New Street', 'Corporation Street', 'Temple Street'),
    district('B17 9QE', 52.46, -1.95, 'High Street', 'Vivian Road', 'Lordswood Road'),
    district('B13 8JP', 52.4465, -1.888, 'Alcester Road', 'St Mary’s Row', 'Woodbridge Road'),
  ),
  city(
    { ...britain, name: 'Leeds', province: 'England', phone: '+441134960xxx' },
    district('LS1 6DT', 53.797, -1.543, 'Briggate', 'Boar Lane', 'Call Lane'),
    district('LS6 3HN', 53.8195, -1.577, 'Otley Road', 'North Lane', 'Cardigan Road'),
    district('LS7 3PD', 53.829, -1.538, 'Harrogate Road', 'Stainbeck Lane', 'Town Street'),
  ),
  city(
    { ...britain, name: 'Bristol', province: 'England', phone: '+441174960xxx' },
    district('BS1 4DJ', 51.453, -2.596, 'Corn Street', 'Baldwin Street', 'Broad Quay'),
    district('BS7 8AL', 51.4725, -2.591, 'Gloucester Road', 'Ashley Down Road', 'Egerton Road'),
    district('BS3 1JF', 51.44, -2.602, 'North Street', 'East Street', 'West Street'),
  ),
  city(
    { ...britain, name: 'Edinburgh', province: 'Scotland', phone: '+441314960xxx' },
    district('EH2 2PF', 55.9525, -3.196, 'George Street', 'Rose Street', 'Hanover Street'),
    district('EH6 6RA', 55.974, -3.169, 'Constitution Street', 'Bernard Street', 'Great Junction Street'),
    district('EH10 4EX', 55.935, -3.209, 'Bruntsfield Place', 'Morningside Road', 'Comiston Road'),
  ),
  city(
    { ...britain, name: 'Cardiff', province: 'Wales', phone: '+442920180xxx' },
    district('CF10 1AF', 51.48, -3.177, 'St Mary Street', 'Queen Street', 'The Hayes'),
    district('CF11 9LN', 51.4865, -3.1985, 'Cathedral Road', 'Pontcanna Street', 'Llandaff Road'),
    district('CF24 3PA', 51.494, -3.164, 'Albany Road', 'Wellfield Road', 'City Road'),
  ),
  city(
    { ...ireland, name: 'Dublin', province: 'Leinster', phone: '+3531679xxxx' },
    district('D02 ????', 53.342, -6.262, 'Grafton Street', 'South William Street', 'Dawson Street'),
    district('D06 ????', 53.324, -6.265, 'Rathmines Road Lower', 'Ranelagh Road', 'Rathgar Road'),
    district('D07 ????', 53.35, -6.281, 'Manor Street', 'Prussia Street', 'North King Street'),
  ),
  city(
    { ...ireland, name: 'Cork', province: 'Munster', phone: '+35321427xxxx' },
    district('T12 ????', 51.898, -8.474, 'St Patrick’s Street', 'Oliver Plunkett Street', 'Grand Parade'),
    district('T23 ????', 51.905, -8.474, 'MacCurtain Street', 'Shandon Street', 'Blarney Street'),
    district('T12 ????', 51.893, -8.49, 'College Road', 'Magazine Road', 'Barrack Street'),
  ),
  city(
    { ...france, name: 'Paris', province: 'Île-de-France', phone: '+3319900xxxx' },
    district('75003', 48.863, 2.36, 'Rue de Bretagne', 'Rue de Turenne', 'Rue Charlot'),
    district('75011', 48.859, 2.378, 'Rue Oberkampf', 'Rue de Charonne', 'Boulevard Voltaire'),
    district('75018', 48.888, 2.341, 'Rue Lepic', 'Rue des Abbesses', 'Rue Caulaincourt'),
  ),
  city(
    { ...france, name: 'Lyon', province: 'Auvergne-Rhône-Alpes', phone: '+3346571xxxx' },
    district('69001', 45.769, 4.831, 'Rue de la Martinière', 'Rue Terme', 'Rue de l’Annonciade'),
    district('69002', 45.756, 4.831, 'Rue de la République', 'Rue Mercière', 'Rue Auguste Comte'),
    district('69006', 45.769, 4.85, 'Cours Vitton', 'Cours Franklin Roosevelt', 'Rue de Sèze'),
  ),
  city(
    { ...france, name: 'Bordeaux', province: 'Nouvelle-Aquitaine', phone: '+3353649xxxx' },
    district('33000', 44.839, -0.577, 'Rue Sainte-Catherine', 'Cours de l’Intendance', 'Rue du Pas-Saint-Georges'),
    district('33300', 44.862, -0.56, 'Quai de Bacalan', 'Rue Achard', 'Cours Édouard Vaillant'),
    district('33800', 44.827, -0.56, 'Cours de la Marne', 'Cours de l’Yser', 'Rue des Douves'),
  ),
  city(
    { ...france, name: 'Nantes', province: 'Pays de la Loire', phone: '+3326191xxxx' },
    district('44000', 47.216, -1.556, 'Rue Crébillon', 'Rue de la Marne', 'Rue Kervégan'),
    district('44200', 47.203, -1.55, 'Rue La Noue Bras de Fer', 'Rue La Tour d’Auvergne', 'Boulevard Babin Chevaye'),
    district('44100', 47.21, -1.58, 'Quai de la Fosse', 'Boulevard Saint-Aignan', 'Rue des Réformes'),
  ),
  city(
    { ...france, name: 'Toulouse', province: 'Occitanie', phone: '+33536497xxx' },
    district('31000', 43.603, 1.4435, 'Rue d’Alsace-Lorraine', 'Rue Saint-Rome', 'Rue de Metz'),
    district('31300', 43.5985, 1.431, 'Rue de la République', 'Avenue Étienne Billières', 'Allées Charles de Fitte'),
    district('31400', 43.585, 1.453, 'Grande Rue Saint-Michel', 'Avenue de l’URSS', 'Rue des Trente-Six Ponts'),
  ),
];
