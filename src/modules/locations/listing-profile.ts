import { fieldCopier } from '../../http/record-response.ts';
import { categoryName, currentCategory } from '../catalog/index.ts';
import type { ListingProfile } from '../directories/index.ts';
import type { Location, LocationProfile } from './location.ts';

/** The data that is submitted to directories and compared with them. Fields without a value are absent. */
export function listingProfileOf(location: Location): ListingProfile {
  const { profile } = location;
  const submitted = { name: location.name } as ListingProfile;
  copyColumns(location, submitted);
  copyTexts(profile, submitted);
  const categories = categoriesOf(location.categories);
  if (categories) submitted.categories = categories;
  copyHours(profile, submitted);
  const photos = photosOf(profile);
  if (photos) submitted.photos = photos;
  submitted.temporarilyClosed = location.temporarilyClosed;
  return submitted;
}

const copyColumns = fieldCopier([
  'street',
  'streetNo',
  'addressExtra',
  'zip',
  'city',
  'province',
  'country',
  'lat',
  'lng',
  'addressDisplay',
  'phone',
  'website',
  'email',
] satisfies (keyof Location & keyof ListingProfile)[]);
const copyTexts = fieldCopier(['descriptionShort', 'descriptionLong']);
const copyHours = fieldCopier(['openingHours', 'specialOpeningHours']);

/** English names, which directories use. */
function categoriesOf(ids: readonly number[]): string[] | undefined {
  const names = ids.flatMap((id) => {
    const category = currentCategory(id);
    return category ? [categoryName(category, 'en')] : [];
  });
  return names.length > 0 ? names : undefined;
}

/** URLs, the main photo first. */
function photosOf({ photos = [] }: LocationProfile): string[] | undefined {
  const main = photos.filter(({ type }) => type === 'MAIN');
  const others = photos.filter(({ type }) => type !== 'MAIN');
  return photos.length > 0 ? [...main, ...others].map(({ url }) => url) : undefined;
}
