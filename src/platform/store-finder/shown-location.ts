import Type, { type Static } from 'typebox';
import { categoryName, findCategory } from '../categories/categories.ts';
import type { Label } from '../labels/label.ts';
import { type Location, NewLocation } from '../locations/location.ts';
import { hiddenDecimals } from '../locations/location-map-store.ts';
import { ServiceItem } from '../locations/profile-values.ts';

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

const place = {
  id: Type.Integer(),
  name: Type.String(),
  street: Type.Optional(Type.String({ description: 'Absent where the location does not show its address' })),
  streetNo: properties.streetNo,
  zip: properties.zip,
  city: Type.String(),
  country: Type.String(),
  lat: Type.Optional(Type.Number({ description: 'To about a kilometre where the address is not shown' })),
  lng: properties.lng,
};

const openNow = Type.Optional(
  Type.Boolean({ description: 'Whether it is open at this moment; absent when it is not asked for or not known' }),
);

/** A pin on the map. */
export const StoreFinderPin = Type.Object({ ...place, openNow }, { title: 'StoreFinderPin' });

const category = Type.Object({ id: Type.Integer(), name: Type.String({ description: "In the finder's language" }) });

const contact = {
  ...place,
  addressExtra: properties.addressExtra,
  province: properties.province,
  timeZone: properties.timeZone,
  temporarilyClosed: Type.Boolean(),
  categories: Type.Array(category),
  phone: properties.phone,
  email: properties.email,
  website: properties.website,
  openingHours: properties.openingHours,
  specialOpeningHours: properties.specialOpeningHours,
  openingHoursNotes: properties.openingHoursNotes,
  openNow,
};

/** What a search finds. */
export const StoreFinderLocation = Type.Object(
  {
    ...contact,
    distance: Type.Optional(Type.Number({ description: 'Kilometres from the place that was asked about' })),
    photo: Type.Optional(Type.String({ description: 'The address of its main photo' })),
  },
  { title: 'StoreFinderLocation' },
);

export const StoreFinderDetails = Type.Object(
  {
    ...contact,
    fax: properties.fax,
    cellphone: properties.cellphone,
    openingDate: properties.openingDate,
    descriptionShort: properties.descriptionShort,
    descriptionLong: properties.descriptionLong,
    imprint: properties.imprint,
    brands: properties.brands,
    paymentOptions: properties.paymentOptions,
    languages: properties.languages,
    attributes: properties.attributes,
    services: Type.Optional(Type.Array(ServiceItem)),
    serviceAreas: properties.serviceAreas,
    socialProfiles: properties.socialProfiles,
    photos: properties.photos,
    videos: properties.videos,
    labels: Type.Optional(Type.Array(Type.String({ description: 'The names of its public labels' }))),
    averageRating: Type.Optional(Type.Number({ description: 'Absent without ratings' })),
  },
  { title: 'StoreFinderDetails', 'x-resource': 'StoreFinderDetails' },
);

const placeProperties = ['id', 'name', 'street', 'streetNo', 'zip', 'city', 'country', 'lat', 'lng', 'addressDisplay'];
const hourProperties = ['timeZone', 'temporarilyClosed', 'profile'];

/** What must be read of a location for each of the answers. */
export const pinProperties: ReadonlySet<string> = new Set(placeProperties);
export const openPinProperties: ReadonlySet<string> = new Set([...placeProperties, ...hourProperties]);
export const contactProperties: ReadonlySet<string> = new Set([
  ...openPinProperties,
  'addressExtra',
  'province',
  'categories',
  'phone',
  'email',
  'website',
]);
export const detailProperties: ReadonlySet<string> = new Set([
  ...contactProperties,
  'fax',
  'cellphone',
  'services',
  'labelIds',
  'ratingsCount',
  'ratingsSum',
]);

type Read = Pick<Location, 'id'> & Partial<Location>;

export function pinOf(location: Read, isOpen?: boolean): Static<typeof StoreFinderPin> {
  return present({ ...placeOf(location), openNow: isOpen }) as Static<typeof StoreFinderPin>;
}

/** How a finder shows locations. */
interface Manner {
  language: string;
  fields: readonly ShownField[];
}

export function resultOf(
  location: Read,
  manner: Manner,
  { distance, isOpen }: { distance?: number | undefined; isOpen?: boolean | undefined },
): Static<typeof StoreFinderLocation> {
  const { profile = {} } = location;
  const [photo] = manner.fields.includes('photos') ? mainFirst(profile.photos) : [];
  return present({
    ...contactOf(location, manner),
    distance: distance === undefined ? undefined : Math.round(distance * 1000) / 1000,
    photo: photo?.url,
    openNow: isOpen,
  }) as Static<typeof StoreFinderLocation>;
}

export function detailsOf(
  location: Read,
  manner: Manner,
  { labels, isOpen }: { labels: readonly Label[]; isOpen?: boolean | undefined },
): Static<typeof StoreFinderDetails> {
  const { fax, cellphone, services, profile = {}, ratingsCount = 0, ratingsSum = 0 } = location;
  const all: Record<ShownField, unknown> = {
    ...contactFields(location),
    fax,
    cellphone,
    openingDate: profile.openingDate,
    descriptionShort: profile.descriptionShort,
    descriptionLong: profile.descriptionLong,
    imprint: profile.imprint,
    brands: profile.brands,
    paymentOptions: profile.paymentOptions,
    languages: profile.languages,
    attributes: profile.attributes,
    services,
    serviceAreas: profile.serviceAreas,
    socialProfiles: profile.socialProfiles,
    photos: mainFirst(profile.photos),
    videos: profile.videos,
    labels: labels.map(({ name }) => name),
    averageRating: ratingsCount > 0 ? Math.round((ratingsSum / ratingsCount) * 100) / 100 : undefined,
  };
  const chosen = manner.fields.map((field) => [field, all[field]] as const);
  return present({
    ...contactOf(location, manner),
    ...Object.fromEntries(chosen),
    openNow: isOpen,
  }) as Static<typeof StoreFinderDetails>;
}

function contactOf(location: Read, { language, fields }: Manner) {
  const { addressExtra, province, timeZone, temporarilyClosed, categories = [], addressDisplay } = location;
  const shown = Object.entries(contactFields(location)).filter(([field]) => fields.includes(field as ShownField));
  return {
    ...placeOf(location),
    addressExtra: addressDisplay ? addressExtra : undefined,
    province,
    timeZone,
    temporarilyClosed,
    categories: categories.flatMap((id) => {
      const known = findCategory(id);
      return known ? [{ id, name: categoryName(known, language) }] : [];
    }),
    ...Object.fromEntries(shown),
  };
}

const contactFields = ({ phone, email, website, profile = {} }: Read) => ({
  phone,
  email,
  website,
  openingHours: profile.openingHours,
  specialOpeningHours: profile.specialOpeningHours,
  openingHoursNotes: profile.openingHoursNotes,
});

function placeOf({ id, name, street, streetNo, zip, city, country, lat, lng, addressDisplay }: Read) {
  if (addressDisplay) return { id, name, street, streetNo, zip, city, country, lat, lng };
  return { id, name, zip, city, country, lat: roughly(lat), lng: roughly(lng) };
}

const roughly = (degrees: number | null | undefined) =>
  typeof degrees === 'number' ? Number(degrees.toFixed(hiddenDecimals)) : undefined;

/** Old clients show only the first one. */
function mainFirst(photos: Static<typeof NewLocation>['photos'] = []) {
  const rank = ({ type = 'PHOTO' }: { type?: string }) => (type === 'MAIN' ? 0 : type === 'LOGO' ? 2 : 1);
  return photos.toSorted((a, b) => rank(a) - rank(b));
}

/** What has no value is absent. */
function present(answer: Record<string, unknown>): Record<string, unknown> {
  for (const field in answer) if (answer[field] === null || answer[field] === undefined) delete answer[field];
  return answer;
}
