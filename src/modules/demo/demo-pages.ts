import type { Directory, DirectoryListing } from '../directories/index.ts';
import type { DemoLocation } from './demo-location.ts';
import { Dice } from './dice.ts';

/** A page that a location has on a directory before anybody looks after it. */
export interface DemoPage {
  directory: string;
  claim: DirectoryListing['claim'];
  /** How long it has been there. */
  days: number;
  /** Datapoints that came in a month; none on directories that have none. */
  perMonth: number;
  /** Fields in which it shows something else than the location. */
  drift: string[];
  /** There is a second page for the same place. */
  duplicated: boolean;
}

const oneYear = 365;
/** How much is written about a place of middling interest; a little everywhere else. */
const perMonth: Readonly<Record<string, number>> = {
  GOOGLE: 4,
  FACEBOOK: 1.5,
  INSTAGRAM: 1,
  YELP: 0.8,
  TRIP_ADVISOR: 0.8,
};
const elsewhere = 0.3;

/** Fields that go stale. Not the street: with another phone as well nobody could tell whose page it is. */
const stale = ['openingHours', 'phone', 'name'];

/** Most locations are on most directories: many claimed, some neglected, a few in the hands of others. */
export function demoPages(location: DemoLocation, directories: readonly Directory[], seed: string): DemoPage[] {
  const { identifier, country } = location.input;
  const interest = 0.4 + 2 * new Dice(seed, 'interest', identifier).fraction() ** 2;
  return directories.flatMap((directory) => {
    const dice = new Dice(seed, 'page', identifier, directory.type);
    if (!isKnownIn(country, directory.type) || !directory.supports.onlineListing) return [];
    if (!dice.chance(directory.weight >= 8 ? 0.92 : 0.65)) return [];
    const fields = stale.filter((field) => directory.fields.includes(field));
    const talked = directory.dataPointTypes.length > 0 ? (perMonth[directory.type] ?? elsewhere) * interest : 0;
    return [
      {
        directory: directory.type,
        claim: directory.supports.claim ? claimBy(dice) : assignedBy(dice),
        days: oneYear + dice.between(5, 400),
        perMonth: Number(talked.toFixed(2)),
        drift: dice.chance(0.3) ? dice.shuffled(fields).slice(0, dice.between(1, 2)) : [],
        duplicated: dice.chance(0.04),
      },
    ];
  });
}

/** Directories of one country have no pages elsewhere. */
const homes: Readonly<Record<string, readonly string[]>> = {
  GOLOCAL: ['DE'],
  NEXTDOOR: ['US', 'GB', 'DE', 'FR', 'ES', 'IT'],
  YELLOW_PAGES: ['US', 'DE', 'AT', 'CH', 'GB'],
};

const isKnownIn = (country: string, type: string) => homes[type]?.includes(country) ?? true;

/** Where nothing can be claimed, the directory has assigned most pages to our account. */
const assignedBy = (dice: Dice): DemoPage['claim'] => (dice.chance(0.8) ? 'CLAIMED_BY_US' : 'NOT_CLAIMABLE');

function claimBy(dice: Dice): DemoPage['claim'] {
  const luck = dice.fraction();
  if (luck < 0.6) return 'CLAIMED_BY_US';
  if (luck < 0.92) return 'CLAIMABLE';
  return luck < 0.97 ? 'CLAIMED_BY_OTHERS' : 'CLAIMED_BY_ANOTHER_US';
}
