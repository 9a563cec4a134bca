import type { OpeningHours, Periods, SpecialOpeningHours } from '../../locations/index.ts';
import type { StoreFinderLocation } from './shown-location.ts';

const context = 'https://schema.org';
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Structured data for search engines: https://schema.org/LocalBusiness */
export const localBusinessPage = (location: StoreFinderLocation) => ({
  '@context': context,
  ...localBusiness(location),
});

export const localBusinesses = (locations: readonly StoreFinderLocation[]) => ({
  '@context': context,
  '@graph': locations.map(localBusiness),
});

function localBusiness(location: StoreFinderLocation) {
  const {
    lat,
    lng,
    streetAndNumber,
    openingHours = [],
    specialOpeningHours = [],
    photos = [],
    services = [],
  } = location;
  return {
    '@type': 'LocalBusiness',
    identifier: location.identifier ?? String(location.id),
    name: location.name,
    description: location.descriptionLong ?? location.descriptionShort,
    address: {
      '@type': 'PostalAddress',
      streetAddress: [streetAndNumber, location.addressExtra].filter(Boolean).join(', ') || undefined,
      postalCode: location.zip,
      addressLocality: location.city,
      addressRegion: location.province,
      addressCountry: location.country,
    },
    // Coordinates of hidden addresses are too imprecise for a pin.
    ...(streetAndNumber !== undefined &&
      lat !== undefined &&
      lng !== undefined && { geo: { '@type': 'GeoCoordinates', latitude: lat, longitude: lng } }),
    telephone: location.phone,
    email: location.email,
    url: location.website,
    ...someOf(
      'image',
      photos.map(({ url }) => url),
    ),
    ...someOf('openingHoursSpecification', openingHours.flatMap(weekly)),
    ...someOf('specialOpeningHoursSpecification', specialOpeningHours.flatMap(special)),
    ...someOf(
      'makesOffer',
      services.map(({ title }) => ({ '@type': 'Offer', itemOffered: { '@type': 'Service', name: title } })),
    ),
  };
}

const someOf = (name: string, entries: readonly unknown[]) => (entries.length > 0 ? { [name]: entries } : {});

const weekly = ({ dayOfWeek, ...hours }: OpeningHours) =>
  periodsOf(hours).map((period) => ({ ...period, dayOfWeek: `${context}/${days[dayOfWeek - 1]}` }));

const special = ({ date, ...hours }: SpecialOpeningHours) =>
  periodsOf(hours).map((period) => ({ ...period, validFrom: date, validThrough: date }));

/** Closed days have opens = closes. */
function periodsOf({ closed, from1, to1, from2, to2 }: Periods) {
  const pairs = closed
    ? [['00:00', '00:00']]
    : [
        [from1, to1],
        [from2, to2],
      ];
  return pairs.flatMap(([opens, closes]) =>
    opens !== undefined && closes !== undefined
      ? [{ '@type': 'OpeningHoursSpecification', opens, closes: closes === '24:00' ? '23:59' : closes }]
      : [],
  );
}
