import { city, type DemoCity, district } from './demo-address.ts';

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
