import type { Sql } from '../../database/connection.ts';
import { fullReach } from '../../http/access.ts';
import type { Actor } from '../accounts/index.ts';
import { type Directory, type PopulatedPlace, type SandboxControl, SandboxError } from '../directories/index.ts';
import { type Datapoint, listInbox, type Marks, markDatapoints, positionOf } from '../feedback/index.ts';
import { listingProfileOf } from '../locations/index.ts';
import { businessIdentifier, demoBusinesses } from './demo-business.ts';
import type { DemoLocation } from './demo-location.ts';
import type { CreatedLocation, DemoProblem } from './ensure-locations.ts';
import { SeededRandom } from './seeded-random.ts';

const dayMs = 86_400_000;
/** Older datapoints are mostly marked as read. */
const recentDays = 14;
const pageSize = 1000;

/** Marks most old datapoints of locations or brand pages as read, and a few as liked or flagged. */
export async function markInbox(
  sql: Sql,
  partnerId: number,
  field: 'locationIds' | 'directoryBusinessPageIds',
  ids: readonly number[],
  { seed, now }: { seed: string; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  const viewer = { partnerId, reach: fullReach };
  const filter = { [field]: [...ids], maxThreadActionDate: now.getTime() - recentDays * dayMs };
  const search = { ...viewer, filter, sort: 'threadActionDate', order: 'ASC' } as const;
  let after: readonly string[] | undefined;
  for (;;) {
    const page = await listInbox(sql, search, { offset: 0, limit: pageSize, ...(after && { after }) });
    const byMarks = Map.groupBy(page, (datapoint) => JSON.stringify(marksOf(datapoint, seed)));
    for (const [key, datapoints] of byMarks) {
      const marks: Marks = JSON.parse(key);
      const marked = datapoints.map(({ id }) => id);
      if (Object.keys(marks).length > 0) await markDatapoints(sql, viewer, marked, marks);
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = positionOf(search.sort, last);
  }
}

function marksOf({ externalId, rating }: Pick<Datapoint, 'externalId' | 'rating'>, seed: string): Marks {
  const random = new SeededRandom(seed, 'marks', externalId);
  if (!random.chance(0.93)) return {};
  return {
    read: true,
    ...(rating === 5 && random.chance(0.06) && { liked: true }),
    ...(rating !== null && rating <= 2 && random.chance(0.1) && { flagged: true }),
  };
}

/** The sandbox may be shared by installations: its keys begin with the identifier of the partner. */
type Owner = Actor['partner'];

export interface Populated {
  pages: number;
  problems: DemoProblem[];
}

/** Adds listings of the locations with their history to the sandbox. Existing ones are not changed. */
export async function populateListings(
  sandbox: SandboxControl,
  directories: readonly Directory[],
  owner: Owner,
  created: readonly CreatedLocation[],
  seed: string,
): Promise<Populated> {
  const places = created.map(({ plan, location }) => ({
    key: `${owner.identifier} ${plan.input.identifier}`,
    profile: listingProfileOf(location),
    pages: demoListings(plan, directories, seed),
  }));
  try {
    return { pages: (await sandbox.populate(places)).pages, problems: [] };
  } catch (error) {
    if (!isRejectedContent(error)) throw error;
  }
  // The sandbox rejects the whole request if one location is invalid: send the locations one by one.
  const populated: Populated = { pages: 0, problems: [] };
  for (const [at, place] of places.entries()) {
    try {
      populated.pages += (await sandbox.populate([place])).pages;
    } catch (error) {
      if (!isRejectedContent(error)) throw error;
      populated.problems.push({ identifier: created[at]?.plan.input.identifier ?? '', message: error.message });
    }
  }
  return populated;
}

const isRejectedContent = (error: unknown): error is SandboxError =>
  error instanceof SandboxError && error.status === 400;

/** Adds a brand page per business on each directory that supports them. */
export function populateBrandPages(
  sandbox: SandboxControl,
  directories: readonly Directory[],
  owner: Owner,
): ReturnType<SandboxControl['populate']> {
  const brands = directories
    .filter(({ supports }) => supports.brandPages)
    .flatMap(({ type }) =>
      demoBusinesses.map((business) => ({
        key: `${owner.identifier} ${businessIdentifier(business)}`,
        directory: type,
        name: business.name,
        followers: new SeededRandom('followers', type, business.key).between(1_500, 60_000),
        perMonth: 6,
      })),
    );
  return sandbox.populate([], brands);
}

/** A listing that exists before the location is managed. */
type DemoListing = PopulatedPlace['pages'][number];

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

/** Fields that can be outdated. Without the street: with another phone as well, the listing would not match its location. */
const driftFields = ['openingHours', 'phone', 'name'];

/** Most locations have a listing on most directories: many claimed, some outdated, a few claimed by others. */
function demoListings(location: DemoLocation, directories: readonly Directory[], seed: string): DemoListing[] {
  const { identifier, country } = location.input;
  const interest = 0.4 + 2 * new SeededRandom(seed, 'interest', identifier).fraction() ** 2;
  return directories.flatMap((directory) => {
    const random = new SeededRandom(seed, 'page', identifier, directory.type);
    if (!isAvailableIn(country, directory.type) || !directory.supports.onlineListing) return [];
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

const isAvailableIn = (country: string, type: string) => countriesByDirectory[type]?.includes(country) ?? true;

/** Most listings on directories without a claim process are assigned to our account. */
const assignedBy = (random: SeededRandom): DemoListing['claim'] =>
  random.chance(0.8) ? 'CLAIMED_BY_US' : 'NOT_CLAIMABLE';

function claimBy(random: SeededRandom): DemoListing['claim'] {
  const value = random.fraction();
  if (value < 0.6) return 'CLAIMED_BY_US';
  if (value < 0.92) return 'CLAIMABLE';
  return value < 0.97 ? 'CLAIMED_BY_OTHERS' : 'CLAIMED_BY_ANOTHER_US';
}
