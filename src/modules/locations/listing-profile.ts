import { fieldCopier, fieldNames } from '../../http/record-response.ts';
import { categoryName, currentCategory } from '../catalog/index.ts';
import { ListingProfile } from '../directories/index.ts';
import type { Location, LocationProfile } from './location.ts';
import { columnFieldNames, profileFieldNames } from './location-fields.ts';

/** Fields with the same value in a location and its listings. */
export const sharedFields = fieldNames(ListingProfile).filter((field) => field !== 'categories' && field !== 'photos');

const sharedNames: ReadonlySet<string> = new Set(sharedFields);
const copyColumns = fieldCopier(columnFieldNames.filter((field) => sharedNames.has(field)));
const copyProfile = fieldCopier(profileFieldNames.filter((field) => sharedNames.has(field)));

/** The data that is submitted to directories and compared with them. Fields without a value are absent. */
export function listingProfileOf(location: Location): ListingProfile {
  const { profile } = location;
  const submitted = { name: location.name } as ListingProfile;
  copyColumns(location, submitted);
  copyProfile(profile, submitted);
  const categories = categoriesOf(location.categories);
  if (categories) submitted.categories = categories;
  const photos = photosOf(profile);
  if (photos) submitted.photos = photos;
  return submitted;
}

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
