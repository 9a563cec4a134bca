import { city, type DemoCity, district } from './demo-address.ts';

// Placeholders: x in a phone number is any digit, ? in an Irish postal code is any of its characters.
const america = { country: 'US', language: 'en' } as const;
const spain = { country: 'ES', language: 'es', timeZone: 'Europe/Madrid' } as const;
const italy = { country: 'IT', language: 'it', timeZone: 'Europe/Rome' } as const;

export const fitnessClubCities: readonly DemoCity[] = [
  city(
    { ...america, name: 'New York', province: 'NY', timeZone: 'America/New_York', phone: '+121255501xx' },
    district('10003', 40.732, -73.989, 'Broadway', 'University Place', 'Lafayette Street'),
    district('10023', 40.776, -73.982, 'Columbus Avenue', 'Amsterdam Avenue', 'West 72nd Street'),
    district('10016', 40.7455, -73.978, 'Park Avenue South', 'Lexington Avenue', 'Third Avenue'),
  ),
  city(
    { ...america, name: 'Chicago', province: 'IL', timeZone: 'America/Chicago', phone: '+131255501xx' },
    district('60614', 41.923, -87.649, 'North Clark Street', 'West Fullerton Avenue', 'North Lincoln Avenue'),
    district('60607', 41.88, -87.651, 'West Randolph Street', 'South Halsted Street', 'West Madison Street'),
    district('60622', 41.902, -87.678, 'North Milwaukee Avenue', 'West Division Street', 'North Damen Avenue'),
  ),
  city(
    { ...america, name: 'Austin', province: 'TX', timeZone: 'America/Chicago', phone: '+151255501xx' },
    district('78701', 30.27, -97.742, 'Congress Avenue', 'West 6th Street', 'Brazos Street'),
    district('78704', 30.244, -97.764, 'South Congress Avenue', 'South Lamar Boulevard', 'South 1st Street'),
    district('78751', 30.311, -97.724, 'Guadalupe Street', 'Duval Street', 'Airport Boulevard'),
  ),
  city(
    { ...america, name: 'Denver', province: 'CO', timeZone: 'America/Denver', phone: '+130355501xx' },
    district('80202', 39.751, -104.996, '16th Street', 'Larimer Street', 'Wynkoop Street'),
    district('80209', 39.707, -104.965, 'South Gaylord Street', 'East Alameda Avenue', 'South Downing Street'),
    district('80205', 39.759, -104.968, 'Welton Street', 'Downing Street', 'York Street'),
  ),
  city(
    { ...america, name: 'Seattle', province: 'WA', timeZone: 'America/Los_Angeles', phone: '+120655501xx' },
    district('98101', 47.61, -122.336, 'Pike Street', '4th Avenue', 'Union Street'),
    district('98122', 47.611, -122.308, '12th Avenue', 'East Cherry Street', 'East Union Street'),
    district('98103', 47.665, -122.342, 'Stone Way North', 'Fremont Avenue North', 'North 45th Street'),
  ),
  city(
    { ...america, name: 'Atlanta', province: 'GA', timeZone: 'America/New_York', phone: '+140455501xx' },
    district('30309', 33.79, -84.385, 'Peachtree Street NE', 'West Peachtree Street NW', '10th Street NE'),
    district('30307', 33.766, -84.344, 'Moreland Avenue NE', 'Euclid Avenue NE', 'North Highland Avenue NE'),
    district('30318', 33.788, -84.416, 'Howell Mill Road NW', 'Huff Road NW', 'Marietta Street NW'),
  ),
  city(
    { ...america, name: 'Boston', province: 'MA', timeZone: 'America/New_York', phone: '+161755501xx' },
    district('02116', 42.35, -71.076, 'Newbury Street', 'Boylston Street', 'Clarendon Street'),
    district('02118', 42.34, -71.071, 'Tremont Street', 'Washington Street', 'Harrison Avenue'),
    district('02127', 42.336, -71.048, 'West Broadway', 'Dorchester Street', 'East Broadway'),
  ),
  city(
    { ...spain, name: 'Madrid', province: 'Madrid', phone: '+3491522xxxx' },
    district('28004', 40.424, -3.699, 'Calle de Fuencarral', 'Calle de Hortaleza', 'Calle de Augusto Figueroa'),
    district('28001', 40.425, -3.685, 'Calle de Serrano', 'Calle de Velázquez', 'Calle de Goya'),
    district('28012', 40.411, -3.702, 'Calle de Embajadores', 'Calle de Atocha', 'Calle del Ave María'),
  ),
  city(
    { ...spain, name: 'Barcelona', province: 'Barcelona', phone: '+3493317xxxx' },
    district('08011', 41.385, 2.16, 'Carrer d’Aribau', 'Carrer de Muntaner', 'Gran Via de les Corts Catalanes'),
    district('08012', 41.403, 2.156, 'Carrer de Verdi', 'Travessera de Gràcia', 'Carrer Gran de Gràcia'),
    district('08003', 41.386, 2.181, 'Carrer de la Princesa', 'Passeig del Born', 'Carrer del Comerç'),
  ),
  city(
    { ...spain, name: 'Valencia', province: 'Valencia', phone: '+3496351xxxx' },
    district('46002', 39.469, -0.377, 'Calle de San Vicente Mártir', 'Calle de Xàtiva', 'Calle de las Barcas'),
    district('46006', 39.461, -0.374, 'Calle de Cuba', 'Calle de Sueca', 'Calle de Cádiz'),
    district('46021', 39.474, -0.35, 'Avenida de Blasco Ibáñez', 'Calle de Santos Justo y Pastor', 'Calle de Yecla'),
  ),
  city(
    { ...spain, name: 'Sevilla', province: 'Sevilla', phone: '+3495421xxxx' },
    district('41001', 37.389, -5.997, 'Calle San Eloy', 'Calle Zaragoza', 'Calle Adriano'),
    district('41003', 37.396, -5.99, 'Calle Feria', 'Calle Regina', 'Calle San Luis'),
    district('41010', 37.383, -6.004, 'Calle San Jacinto', 'Calle Pagés del Corro', 'Calle Betis'),
  ),
  city(
    { ...italy, name: 'Milano', province: 'MI', phone: '+39027200xxxx' },
    district('20121', 45.472, 9.188, 'Corso Garibaldi', 'Via Brera', 'Via Solferino'),
    district('20144', 45.455, 9.166, 'Via Tortona', 'Via Savona', 'Via Solari'),
    district('20129', 45.469, 9.212, 'Corso Indipendenza', 'Viale Premuda', 'Via Plinio'),
  ),
  city(
    { ...italy, name: 'Roma', province: 'RM', phone: '+39064890xxxx' },
    district('00184', 41.893, 12.493, 'Via Cavour', 'Via Nazionale', 'Via dei Serpenti'),
    district('00153', 41.882, 12.47, 'Viale di Trastevere', 'Via Marmorata', 'Via della Lungaretta'),
    district('00192', 41.909, 12.466, 'Via Cola di Rienzo', 'Via Ottaviano', 'Via Crescenzio'),
  ),
  city(
    { ...italy, name: 'Torino', province: 'TO', phone: '+39011562xxxx' },
    district('10121', 45.066, 7.679, 'Via Roma', 'Via Arsenale', 'Corso Vittorio Emanuele II'),
    district('10124', 45.068, 7.693, 'Via Po', 'Corso San Maurizio', 'Via Montebello'),
    district('10125', 45.057, 7.679, 'Via Madama Cristina', 'Via Nizza', 'Via Saluzzo'),
  ),
  city(
    { ...italy, name: 'Bologna', province: 'BO', phone: '+39051238xxx' },
    district('40121', 44.499, 11.343, 'Via dell’Indipendenza', 'Via Galliera', 'Via Don Minzoni'),
    district('40126', 44.497, 11.35, 'Via Zamboni', 'Via delle Moline', 'Via Irnerio'),
    district('40137', 44.484, 11.364, 'Via Giuseppe Mazzini', 'Via Emilia Levante', 'Via Dagnini'),
  ),
];

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

const germany = { country: 'DE', language: 'de', timeZone: 'Europe/Berlin' } as const;
const austria = { country: 'AT', language: 'de', timeZone: 'Europe/Vienna' } as const;
const switzerland = { country: 'CH', timeZone: 'Europe/Zurich' } as const;

export const bakeryCities: readonly DemoCity[] = [
  city(
    { ...germany, name: 'Berlin', province: 'Berlin', phone: '+493023125xxx' },
    district('10115', 52.5323, 13.3846, 'Chausseestraße', 'Invalidenstraße', 'Gartenstraße'),
    district('10999', 52.4985, 13.4218, 'Oranienstraße', 'Skalitzer Straße', 'Reichenberger Straße'),
    district('10439', 52.552, 13.4125, 'Schönhauser Allee', 'Wichertstraße', 'Schivelbeiner Straße'),
  ),
  city(
    { ...germany, name: 'Hamburg', province: 'Hamburg', phone: '+494066969xxx' },
    district('20354', 53.556, 9.987, 'Jungfernstieg', 'Colonnaden', 'Große Bleichen'),
    district('22767', 53.55, 9.946, 'Große Bergstraße', 'Holstenstraße', 'Königstraße'),
    district('22303', 53.5925, 10.013, 'Mühlenkamp', 'Gertigstraße', 'Barmbeker Straße'),
  ),
  city(
    { ...germany, name: 'München', province: 'Bayern', phone: '+498999998xxx' },
    district('80331', 48.1355, 11.572, 'Sendlinger Straße', 'Rosental', 'Kaufingerstraße'),
    district('80799', 48.1525, 11.5775, 'Türkenstraße', 'Schellingstraße', 'Amalienstraße'),
    district('81667', 48.131, 11.599, 'Weißenburger Straße', 'Pariser Straße', 'Steinstraße'),
  ),
  city(
    { ...germany, name: 'Köln', province: 'Nordrhein-Westfalen', phone: '+492214710xxx' },
    district('50667', 50.9385, 6.955, 'Hohe Straße', 'Breite Straße', 'Schildergasse'),
    district('50674', 50.932, 6.938, 'Aachener Straße', 'Lindenstraße', 'Richard-Wagner-Straße'),
    district('50823', 50.951, 6.92, 'Venloer Straße', 'Körnerstraße', 'Subbelrather Straße'),
  ),
  city(
    { ...germany, name: 'Frankfurt am Main', province: 'Hessen', phone: '+496990009xxx' },
    district('60313', 50.1165, 8.6835, 'Zeil', 'Große Eschenheimer Straße', 'Schäfergasse'),
    district('60594', 50.1035, 8.6905, 'Schweizer Straße', 'Textorstraße', 'Wallstraße'),
    district('60316', 50.123, 8.696, 'Berger Straße', 'Musikantenweg', 'Sandweg'),
  ),
  city(
    { ...germany, name: 'Leipzig', province: 'Sachsen', phone: '+4934196xxxxx' },
    district('04109', 51.34, 12.373, 'Petersstraße', 'Grimmaische Straße', 'Nikolaistraße'),
    district('04275', 51.324, 12.374, 'Karl-Liebknecht-Straße', 'Kochstraße', 'August-Bebel-Straße'),
    district('04229', 51.327, 12.334, 'Karl-Heine-Straße', 'Zschochersche Straße', 'Weißenfelser Straße'),
  ),
  city(
    { ...germany, name: 'Stuttgart', province: 'Baden-Württemberg', phone: '+4971122xxxxx' },
    district('70173', 48.778, 9.179, 'Königstraße', 'Schulstraße', 'Kronenstraße'),
    district('70178', 48.769, 9.169, 'Tübinger Straße', 'Marienstraße', 'Reinsburgstraße'),
    district('70372', 48.806, 9.215, 'Marktstraße', 'Bahnhofstraße', 'König-Karl-Straße'),
  ),
  city(
    { ...germany, name: 'Dresden', province: 'Sachsen', phone: '+4935148xxxxx' },
    district('01067', 51.051, 13.733, 'Wilsdruffer Straße', 'Schweriner Straße', 'Ostra-Allee'),
    district('01099', 51.066, 13.751, 'Alaunstraße', 'Louisenstraße', 'Rothenburger Straße'),
    district('01309', 51.044, 13.789, 'Borsbergstraße', 'Tittmannstraße', 'Pohlandstraße'),
  ),
  city(
    { ...austria, name: 'Wien', phone: '+431512xxxx' },
    district('1010', 48.2085, 16.3725, 'Kärntner Straße', 'Wollzeile', 'Rotenturmstraße'),
    district('1070', 48.2015, 16.349, 'Neubaugasse', 'Kaiserstraße', 'Burggasse'),
    district('1090', 48.224, 16.357, 'Porzellangasse', 'Währinger Straße', 'Nussdorfer Straße'),
  ),
  city(
    { ...austria, name: 'Graz', province: 'Steiermark', phone: '+4331682xxxx' },
    district('8010', 47.071, 15.442, 'Herrengasse', 'Sporgasse', 'Leonhardstraße'),
    district('8020', 47.069, 15.428, 'Annenstraße', 'Mariahilferstraße', 'Keplerstraße'),
    district('8055', 47.031, 15.435, 'Puntigamer Straße', 'Triester Straße', 'Mitterstraße'),
  ),
  city(
    { ...austria, name: 'Linz', province: 'Oberösterreich', phone: '+4373277xxxx' },
    district('4020', 48.303, 14.29, 'Landstraße', 'Herrenstraße', 'Bethlehemstraße'),
    district('4040', 48.319, 14.282, 'Hauptstraße', 'Rudolfstraße', 'Freistädter Straße'),
    district('4030', 48.254, 14.305, 'Wiener Straße', 'Dauphinestraße', 'Ennsfeldstraße'),
  ),
  city(
    { ...switzerland, name: 'Zürich', province: 'ZH', language: 'de', phone: '+4144211xxxx' },
    district('8001', 47.372, 8.539, 'Bahnhofstrasse', 'Rennweg', 'Löwenstrasse'),
    district('8004', 47.3775, 8.524, 'Langstrasse', 'Badenerstrasse', 'Militärstrasse'),
    district('8008', 47.357, 8.556, 'Seefeldstrasse', 'Dufourstrasse', 'Kreuzstrasse'),
  ),
  city(
    { ...switzerland, name: 'Bern', province: 'BE', language: 'de', phone: '+4131311xxxx' },
    district('3011', 46.948, 7.446, 'Spitalgasse', 'Marktgasse', 'Kramgasse'),
    district('3012', 46.956, 7.432, 'Länggassstrasse', 'Mittelstrasse', 'Hallerstrasse'),
    district('3014', 46.96, 7.455, 'Moserstrasse', 'Rodtmattstrasse', 'Breitenrainstrasse'),
  ),
  city(
    { ...switzerland, name: 'Lausanne', province: 'VD', language: 'fr', phone: '+4121311xxxx' },
    district('1003', 46.5195, 6.632, 'Rue de Bourg', 'Rue Centrale', 'Rue du Petit-Chêne'),
    district('1004', 46.5265, 6.622, 'Avenue de France', 'Avenue d’Échallens', 'Rue de Genève'),
    district('1006', 46.5135, 6.634, 'Avenue d’Ouchy', 'Boulevard de Grancy', 'Rue du Simplon'),
  ),
];
