import { categoryName, currentCategory } from '../catalog/index.ts';
import type { ListingProfile } from '../directories/index.ts';
import type { Location, LocationProfile } from './location.ts';

/** The data that is submitted to directories and compared with them. Fields without a value are absent. */
export function listingProfileOf(location: Location): ListingProfile {
  const { profile } = location;
  return {
    name: location.name,
    street: location.street,
    ...given('streetNo', location.streetNo),
    ...given('addressExtra', location.addressExtra),
    ...given('zip', location.zip),
    city: location.city,
    ...given('province', location.province),
    country: location.country,
    ...given('lat', location.lat),
    ...given('lng', location.lng),
    addressDisplay: location.addressDisplay,
    ...given('phone', location.phone),
    ...given('website', location.website),
    ...given('email', location.email),
    ...given('descriptionShort', profile.descriptionShort),
    ...given('descriptionLong', profile.descriptionLong),
    ...given('categories', categoriesOf(location.categories)),
    ...given('openingHours', profile.openingHours),
    ...given('specialOpeningHours', profile.specialOpeningHours),
    ...given('photos', photosOf(profile)),
    temporarilyClosed: location.temporarilyClosed,
  };
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

function given<Name extends keyof ListingProfile>(
  name: Name,
  value: ListingProfile[Name] | null,
): Partial<Pick<ListingProfile, Name>> {
  return value === null || value === undefined ? {} : ({ [name]: value } as Pick<ListingProfile, Name>);
}
