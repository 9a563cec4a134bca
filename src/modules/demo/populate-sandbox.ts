import { type Directory, type SandboxControl, SandboxError } from '../directories/index.ts';
import { listingProfileOf } from '../locations/index.ts';
import { businessIdentifier, demoBusinesses } from './demo-business.ts';
import { demoListings } from './demo-listings.ts';
import type { DemoProblem } from './demo-problems.ts';
import type { CreatedLocation } from './ensure-locations.ts';
import { SeededRandom } from './seeded-random.ts';

/** Prefix of keys in the sandbox, which other installations may share. */
interface Owner {
  identifier: string;
}

interface Populated {
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
  // The sandbox rejects the whole request if one location is invalid: send one by one to find it.
  const populated: Populated = { pages: 0, problems: [] };
  for (const [at, place] of places.entries()) {
    try {
      populated.pages += (await sandbox.populate([place])).pages;
    } catch (error) {
      if (!isRejectedContent(error)) throw error;
      populated.problems.push({
        identifier: created[at]?.plan.input.identifier ?? '',
        message: (error as Error).message,
      });
    }
  }
  return populated;
}

const isRejectedContent = (error: unknown) => error instanceof SandboxError && error.status === 400;

/** Adds a brand page per business on each directory that supports them. */
export function populateBrandPages(
  sandbox: SandboxControl,
  directories: readonly Directory[],
  owner: Owner,
): Promise<{ pages: number; dataPoints: number }> {
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
