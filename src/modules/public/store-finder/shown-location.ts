import Type, { type Static } from 'typebox';
import { categoryName, findCategory, type Label } from '../../catalog/index.ts';
import { readFieldMask } from '../../feedback/index.ts';
import { hiddenDecimals, type Location, NewLocation, ServiceItem } from '../../locations/index.ts';

/** What of a location a finder may show beside its name and address, as the owner chooses. */
export const shownFields = [
  'phone',
  'fax',
  'cellphone',
  'email',
  'website',
  'openingHours',
  'specialOpeningHours',
  'openingHoursNotes',
  'openingDate',
  'descriptionShort',
  'descriptionLong',
  'imprint',
  'brands',
  'paymentOptions',
  'languages',
  'attributes',
  'services',
  'serviceAreas',
  'socialProfiles',
  'photos',
  'videos',
  'labels',
  'averageRating',
] as const;
export type ShownField = (typeof shownFields)[number];

const { properties } = Type.Partial(NewLocation);

const category = Type.Object({ id: Type.Integer(), name: Type.String({ description: "In the finder's language" }) });

const place = {
  id: Type.Integer(),
  identifier: properties.identifier,
  name: Type.Optional(Type.String()),
  street: Type.Optional(Type.String({ description: 'Absent where the location does not show its address' })),
  streetNo: properties.streetNo,
  streetAndNumber: Type.Optional(Type.String({ description: 'street and streetNo in one line' })),
  addressExtra: properties.addressExtra,
  zip: properties.zip,
  city: Type.Optional(Type.String()),
  province: properties.province,
  country: Type.Optional(Type.String()),
  lat: Type.Optional(Type.Number({ description: 'To about a kilometre where the address is not shown' })),
  lng: properties.lng,
};

/** The fields of every location in a list, unless a fieldMask names others. */
const usual = {
  ...place,
  phone: properties.phone,
  website: properties.website,
  email: properties.email,
  openingHours: properties.openingHours,
  specialOpeningHours: properties.specialOpeningHours,
  photos: properties.photos,
  categories: Type.Optional(Type.Array(category)),
  services: Type.Optional(Type.Array(ServiceItem)),
  attributes: properties.attributes,
};

const found = {
  ...usual,
  timeZone: properties.timeZone,
  temporarilyClosed: Type.Optional(Type.Boolean()),
  openingHoursNotes: properties.openingHoursNotes,
};

const details = {
  ...found,
  fax: properties.fax,
  cellphone: properties.cellphone,
  openingDate: properties.openingDate,
  descriptionShort: properties.descriptionShort,
  descriptionLong: properties.descriptionLong,
  imprint: properties.imprint,
  brands: properties.brands,
  paymentOptions: properties.paymentOptions,
  languages: properties.languages,
  serviceAreas: properties.serviceAreas,
  socialProfiles: properties.socialProfiles,
  videos: properties.videos,
  labels: Type.Optional(Type.Array(Type.String({ description: 'The names of its public labels' }))),
  averageRating: Type.Optional(Type.Number({ description: 'Absent without ratings' })),
  openNow: Type.Optional(
    Type.Boolean({ description: 'Whether it is open at this moment; absent when it is not asked for or not known' }),
  ),
};

/** Every field but the id can be left out by a fieldMask. */
export const StoreFinderLocation = Type.Object(
  {
    ...details,
    distance: Type.Optional(Type.Number({ description: 'Kilometres from the place that was asked about' })),
    photo: Type.Optional(Type.String({ description: 'URL of the main photo' })),
  },
  { title: 'StoreFinderLocation', 'x-resource': 'StoreFinderDetails' },
);
export type StoreFinderLocation = Static<typeof StoreFinderLocation>;
export type ShownName = keyof StoreFinderLocation;

const namesOf = (fields: object) => Object.keys(fields) as ShownName[];
const allNames = namesOf(StoreFinderLocation.properties);

/** The fields of each call without a fieldMask. */
export const usualNames = {
  all: namesOf(usual),
  search: [...namesOf(found), 'distance', 'photo'],
  details: namesOf(details),
} as const;

export const shownQuery = {
  fieldMask: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 100,
      description: 'Only these fields, and the id',
    }),
  ),
  language: Type.Optional(Type.String({ description: "Of the names of categories; the finder's unless it is known" })),
};

/** The fields that a request asks for. */
export const askedNames = (
  mask: readonly string[] | undefined,
  call: keyof typeof usualNames,
): ReadonlySet<ShownName> => (mask?.length ? readFieldMask(mask, allNames) : new Set(usualNames[call]));

const placeProperties = ['id', 'name', 'street', 'streetNo', 'zip', 'city', 'country', 'lat', 'lng', 'addressDisplay'];
const hourProperties = ['timeZone', 'temporarilyClosed', 'profile'];
const columns = new Set([
  'identifier',
  'addressExtra',
  'province',
  'phone',
  'website',
  'email',
  'categories',
  'services',
  'timeZone',
  'temporarilyClosed',
  'fax',
  'cellphone',
]);
const sources: Readonly<Record<string, readonly string[]>> = {
  streetAndNumber: [],
  distance: [],
  labels: ['labelIds'],
  averageRating: ['ratingsCount', 'ratingsSum'],
  openNow: hourProperties,
};

/** What must be read of a location for the fields. */
export const propertiesFor = (names: Iterable<ShownName>): ReadonlySet<string> =>
  new Set([
    ...placeProperties,
    ...[...names].flatMap((name) => {
      if (columns.has(name)) return [name];
      return sources[name] ?? (placeProperties.includes(name) ? [] : ['profile']);
    }),
  ]);

type Read = Pick<Location, 'id'> & Partial<Location>;

/** How a finder shows locations. */
interface Manner {
  language: string;
  fields: readonly ShownField[];
}

interface Known {
  labels?: readonly Label[];
  distance?: number | undefined;
  isOpen?: boolean | undefined;
}

/** The fields that are asked for, without those that the finder's owner does not show and those without a value. */
export function shownOf(
  location: Read,
  { language, fields }: Manner,
  asked: ReadonlySet<ShownName>,
  { labels = [], distance, isOpen }: Known,
): StoreFinderLocation {
  const { profile = {}, ratingsCount = 0, ratingsSum = 0, categories = [] } = location;
  const photos = mainFirst(profile.photos);
  const isShown = (name: string) => fields.includes(name as ShownField) || !shownFields.includes(name as ShownField);
  const values: Record<string, unknown> = {
    ...profile,
    ...location,
    ...placeOf(location),
    categories: categories.flatMap((id) => {
      const known = findCategory(id);
      return known ? [{ id, name: categoryName(known, language) }] : [];
    }),
    photos,
    photo: isShown('photos') ? photos[0]?.url : undefined,
    labels: labels.map(({ name }) => name),
    averageRating: ratingsCount > 0 ? Math.round((ratingsSum / ratingsCount) * 100) / 100 : undefined,
    distance: distance === undefined ? undefined : Math.round(distance * 1000) / 1000,
    openNow: isOpen,
  };
  const names = [...asked].filter((name) => isShown(name) && values[name] !== null && values[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, values[name]])) as StoreFinderLocation;
}

/** A hidden address is shown as its town, near its place on the map. */
function placeOf({ street, streetNo, lat, lng, addressDisplay }: Read) {
  if (addressDisplay) return { streetAndNumber: [street, streetNo].filter(Boolean).join(' ') };
  return { street: undefined, streetNo: undefined, addressExtra: undefined, lat: roughly(lat), lng: roughly(lng) };
}

const roughly = (degrees: number | null | undefined) =>
  typeof degrees === 'number' ? Number(degrees.toFixed(hiddenDecimals)) : undefined;

/** Old clients show only the first one. */
function mainFirst(photos: Static<typeof NewLocation>['photos'] = []) {
  const rank = ({ type = 'PHOTO' }: { type?: string }) => (type === 'MAIN' ? 0 : type === 'LOGO' ? 2 : 1);
  return photos.toSorted((a, b) => rank(a) - rank(b));
}
