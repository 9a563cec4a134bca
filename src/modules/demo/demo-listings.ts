import type { Directory, DirectoryListing } from '../directories/index.ts';
import type { DemoLocation } from './demo-location.ts';
import { SeededRandom } from './seeded-random.ts';

/** A listing that exists before the location is managed. */
export interface DemoListing {
  directory: string;
  claim: DirectoryListing['claim'];
  /** Age of the listing. */
  days: number;
  /** Datapoints per month. */
  perMonth: number;
  /** Fields that differ from the location. */
  drift: string[];
  /** There is a second listing of the same location. */
  duplicated: boolean;
}

const oneYear = 365;
/** Datapoints per month of an average location. */
const perMonth: Readonly<Record<string, number>> = {
  GOOGLE: 4,
  FACEBOOK: 1.5,
  INSTAGRAM: 1,
  YELP: 0.8,
  TRIP_ADVISOR: 0.8,
};
const defaultPerMonth = 0.3;

/** Fields that can be outdated. Not the street: with a different phone too, the listing would not match its location. */
const driftFields = ['openingHours', 'phone', 'name'];

/** Most locations are listed on most directories: many claimed, some outdated, a few claimed by others. */
export function demoListings(location: DemoLocation, directories: readonly Directory[], seed: string): DemoListing[] {
  const { identifier, country } = location.input;
  const interest = 0.4 + 2 * new SeededRandom(seed, 'interest', identifier).fraction() ** 2;
  return directories.flatMap((directory) => {
    const random = new SeededRandom(seed, 'page', identifier, directory.type);
    if (!isKnownIn(country, directory.type) || !directory.supports.onlineListing) return [];
    if (!random.chance(directory.weight >= 8 ? 0.92 : 0.65)) return [];
    const fields = driftFields.filter((field) => directory.fields.includes(field));
    const dataPoints =
      directory.dataPointTypes.length > 0 ? (perMonth[directory.type] ?? defaultPerMonth) * interest : 0;
    return [
      {
        directory: directory.type,
        claim: directory.supports.claim ? claimBy(random) : assignedBy(random),
        days: oneYear + random.between(5, 400),
        perMonth: Number(dataPoints.toFixed(2)),
        drift: random.chance(0.3) ? random.shuffled(fields).slice(0, random.between(1, 2)) : [],
        duplicated: random.chance(0.04),
      },
    ];
  });
}

/** Directories that are limited to some countries. */
const countriesByDirectory: Readonly<Record<string, readonly string[]>> = {
  GOLOCAL: ['DE'],
  NEXTDOOR: ['US', 'GB', 'DE', 'FR', 'ES', 'IT'],
  YELLOW_PAGES: ['US', 'DE', 'AT', 'CH', 'GB'],
};

const isKnownIn = (country: string, type: string) => countriesByDirectory[type]?.includes(country) ?? true;

/** Directories without a claim process have assigned most listings to our account. */
const assignedBy = (random: SeededRandom): DemoListing['claim'] =>
  random.chance(0.8) ? 'CLAIMED_BY_US' : 'NOT_CLAIMABLE';

function claimBy(random: SeededRandom): DemoListing['claim'] {
  const value = random.fraction();
  if (value < 0.6) return 'CLAIMED_BY_US';
  if (value < 0.92) return 'CLAIMABLE';
  return value < 0.97 ? 'CLAIMED_BY_OTHERS' : 'CLAIMED_BY_ANOTHER_US';
}
