import Type, { type Static } from 'typebox';
import { categoryName, findCategory, type Label } from '../../catalog/index.ts';
import { readFieldMask } from '../../feedback/index.ts';
import {
  columnFieldNames,
  hiddenDecimals,
  type Location,
  NewLocation,
  type PublicField,
  publicFieldNames,
  ServiceItem,
  serviceResponse,
} from '../../locations/index.ts';
import { StoreFinderPost } from '../../publishing/index.ts';

/** Shown first. The other public fields follow in the order of their definition. */
const firstFields = [
  'phone',
  'fax',
  'cellphone',
  'email',
  'website',
  'openingHours',
  'specialOpeningHours',
  'openingHoursNotes',
  'openingDate',
] as const;
const otherFields = publicFieldNames.filter((name) => !firstFields.some((first) => first === name));

export type ShownField = PublicField | 'services' | 'labels' | 'averageRating';

/** Fields that the owner of a finder can show or hide. */
export const shownFields: readonly ShownField[] = [
  ...firstFields,
  ...otherFields.flatMap((name): ShownField[] => (name === 'attributes' ? [name, 'services'] : [name])),
  'labels',
  'averageRating',
];

const { properties } = Type.Partial(NewLocation);

const category = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: "Name in the finder's language" }),
});

const addressFields = {
  id: Type.Integer(),
  identifier: properties.identifier,
  name: Type.Optional(Type.String()),
  street: Type.Optional(Type.String({ description: 'Absent if the location hides its address' })),
  streetNo: properties.streetNo,
  streetAndNumber: Type.Optional(Type.String({ description: 'street and streetNo in one line' })),
  addressExtra: properties.addressExtra,
  zip: properties.zip,
  city: Type.Optional(Type.String()),
  province: properties.province,
  country: Type.Optional(Type.String()),
  lat: Type.Optional(Type.Number({ description: 'Rounded to about one kilometre if the address is hidden' })),
  lng: properties.lng,
};

/** Default fields of lists. */
const listFields = {
  ...addressFields,
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

const searchFields = {
  ...listFields,
  timeZone: properties.timeZone,
  temporarilyClosed: Type.Optional(Type.Boolean()),
  openingHoursNotes: properties.openingHoursNotes,
};

const publicFields = Object.fromEntries(
  (['fax', 'cellphone', 'openingDate', ...otherFields] as const).map((name) => [name, properties[name]]),
) as Pick<typeof properties, PublicField>;

const detailFields = {
  ...searchFields,
  ...publicFields,
  labels: Type.Optional(Type.Array(Type.String({ description: 'Name of a public label' }))),
  averageRating: Type.Optional(Type.Number({ description: 'Absent if there are no ratings' })),
  openNow: Type.Optional(
    Type.Boolean({ description: 'Whether the location is open now; absent if not requested or unknown' }),
  ),
  posts: Type.Optional(
    Type.Array(StoreFinderPost, {
      description: 'The latest published posts with isStoreLocator; only in the details of a location',
    }),
  ),
};

/** All fields except id can be omitted by fieldMask. */
export const StoreFinderLocation = Type.Object(
  {
    ...detailFields,
    distance: Type.Optional(Type.Number({ description: 'Distance from the search centre in kilometres' })),
    photo: Type.Optional(Type.String({ description: 'URL of the main photo' })),
  },
  { title: 'StoreFinderLocation', 'x-resource': 'StoreFinderDetails' },
);
export type StoreFinderLocation = Static<typeof StoreFinderLocation>;
export type ShownName = keyof StoreFinderLocation;

const namesOf = (fields: object) => Object.keys(fields) as ShownName[];
const allNames = namesOf(StoreFinderLocation.properties);
const listNames = allNames.filter((name) => name !== 'posts');

/** Fields of each endpoint without fieldMask. */
const defaultFields = {
  all: namesOf(listFields),
  search: [...namesOf(searchFields), 'distance', 'photo'],
  details: namesOf(detailFields),
} as const;

export const shownQuery = {
  fieldMask: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 100,
      description: 'Fields to return; the id is always returned',
    }),
  ),
  language: Type.Optional(
    Type.String({ description: "Language of category names. Falls back to the finder's language" }),
  ),
};

export const requestedFields = (
  mask: readonly string[] | undefined,
  call: keyof typeof defaultFields,
): ReadonlySet<ShownName> =>
  mask?.length ? readFieldMask(mask, call === 'details' ? allNames : listNames) : new Set(defaultFields[call]);

const placeProperties = ['id', 'name', 'street', 'streetNo', 'zip', 'city', 'country', 'lat', 'lng', 'addressDisplay'];
const hourProperties = ['timeZone', 'temporarilyClosed', 'profile'];
const columns: ReadonlySet<string> = new Set([...columnFieldNames, 'services']);
const sources: Readonly<Record<string, readonly string[]>> = {
  streetAndNumber: [],
  distance: [],
  posts: [],
  labels: ['labelIds'],
  averageRating: ['ratingsCount', 'ratingsSum'],
  openNow: hourProperties,
};

/** Location properties that the fields require. */
export const propertiesFor = (names: Iterable<ShownName>): ReadonlySet<string> =>
  new Set([
    ...placeProperties,
    ...[...names].flatMap((name) => {
      if (columns.has(name)) return [name];
      return sources[name] ?? (placeProperties.includes(name) ? [] : ['profile']);
    }),
  ]);

export type LocationRow = Pick<Location, 'id'> & Partial<Location>;

interface DisplaySettings {
  language: string;
  fields: readonly ShownField[];
}

interface ComputedValues {
  labels?: readonly Label[];
  distance?: number | undefined;
  isOpen?: boolean | undefined;
}

/** Returns the requested fields that the finder shows and that have a value. */
export function formatLocation(
  location: LocationRow,
  { language, fields }: DisplaySettings,
  requested: ReadonlySet<ShownName>,
  { labels = [], distance, isOpen }: ComputedValues,
): StoreFinderLocation {
  const { profile = {}, ratingsCount = 0, ratingsSum = 0, categories = [] } = location;
  const photos = mainFirst(profile.photos);
  const isShown = (name: string) => fields.includes(name as ShownField) || !shownFields.includes(name as ShownField);
  const values: Record<string, unknown> = {
    ...profile,
    ...location,
    ...addressOf(location),
    categories: categories.flatMap((id) => {
      const known = findCategory(id);
      return known ? [{ id, name: categoryName(known, language) }] : [];
    }),
    photos,
    photo: isShown('photos') ? photos[0]?.url : undefined,
    services: location.services?.map(serviceResponse),
    labels: labels.map(({ name }) => name),
    averageRating: ratingsCount > 0 ? Math.round((ratingsSum / ratingsCount) * 100) / 100 : undefined,
    distance: distance === undefined ? undefined : Math.round(distance * 1000) / 1000,
    openNow: isOpen,
  };
  const names = [...requested].filter((name) => isShown(name) && values[name] !== null && values[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, values[name]])) as StoreFinderLocation;
}

/** Hidden addresses: only the town, with rounded coordinates. */
function addressOf({ street, streetNo, lat, lng, addressDisplay }: LocationRow) {
  if (addressDisplay) return { streetAndNumber: [street, streetNo].filter(Boolean).join(' ') };
  return { street: undefined, streetNo: undefined, addressExtra: undefined, lat: rounded(lat), lng: rounded(lng) };
}

const rounded = (degrees: number | null | undefined) =>
  typeof degrees === 'number' ? Number(degrees.toFixed(hiddenDecimals)) : undefined;

/** Old clients display only the first photo. */
function mainFirst(photos: Static<typeof NewLocation>['photos'] = []) {
  const rank = ({ type = 'PHOTO' }: { type?: string }) => (type === 'MAIN' ? 0 : type === 'LOGO' ? 2 : 1);
  return photos.toSorted((a, b) => rank(a) - rank(b));
}
