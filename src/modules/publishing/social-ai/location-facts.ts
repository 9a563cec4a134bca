import { categoryName, currentCategory } from '../../catalog/index.ts';
import { hoursToday, type Location, type Periods } from '../../locations/index.ts';

/** Data of a location that a post may mention. */
export interface LocationFacts {
  name: string;
  city: string;
  country: string;
  /** Only if the location displays its address. */
  street?: string;
  /** In the language of the post, main category first. */
  categories: string[];
  /** Such as "08:00–12:00, 14:00–18:00"; empty if closed on that day. */
  openToday?: { date: string; hours: string };
  services: string[];
  website?: string;
  /** Contacts that a text may mention; not sent to the model. */
  own: { phones: string[]; emails: string[]; links: string[] };
}

const maxServices = 10;

export function factsOf(location: Location, language: string, now: Date): LocationFacts {
  const { profile, timeZone, temporarilyClosed } = location;
  const street = [location.street, location.streetNo].filter(Boolean).join(' ');
  const today = hoursToday({ timeZone, temporarilyClosed, ...hoursOf(profile) }, now);
  const categories = location.categories.flatMap((id) => {
    const category = currentCategory(id);
    return category ? [categoryName(category, language)] : [];
  });
  return {
    name: location.name,
    city: location.city,
    country: location.country,
    ...(location.addressDisplay && { street }),
    categories,
    ...(today && { openToday: { date: today.date, hours: hoursText(today.periods) } }),
    services: location.services.slice(0, maxServices).map(({ title }) => title),
    ...(location.website && { website: location.website }),
    own: {
      phones: given(location.phone, location.cellphone, location.fax, ...(profile.callTrackingNumbers ?? [])),
      emails: given(location.email),
      links: given(location.website, ...(profile.socialProfiles ?? []).map(({ url }) => url)),
    },
  };
}

const hoursOf = ({ openingHours, specialOpeningHours, openingDate }: Location['profile']) => ({
  openingHours,
  specialOpeningHours,
  openingDate,
});

const given = (...values: (string | null)[]): string[] => values.filter((value) => value !== null);

function hoursText({ closed, from1, to1, from2, to2 }: Periods): string {
  if (closed) return '';
  const periods = [
    [from1, to1],
    [from2, to2],
  ].filter(([from, to]) => from !== undefined && to !== undefined);
  return periods.map(([from, to]) => `${from}–${to}`).join(', ');
}
