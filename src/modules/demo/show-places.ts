import { type Directory, type SandboxControl, SandboxError } from '../directories/index.ts';
import { listingProfileOf } from '../locations/index.ts';
import { businessIdentifier, demoBusinesses } from './demo-business.ts';
import { demoPages } from './demo-pages.ts';
import type { DemoProblem } from './demo-problems.ts';
import { Dice } from './dice.ts';
import type { MadeLocation } from './make-locations.ts';

/** Whose keys they are in the network, where other installations may have put places too. */
interface Owner {
  identifier: string;
}

interface Shown {
  pages: number;
  problems: DemoProblem[];
}

/** Puts the locations on the directories, with their past. Those that were put there before stay as they are. */
export async function showPlaces(
  sandbox: SandboxControl,
  directories: readonly Directory[],
  owner: Owner,
  made: readonly MadeLocation[],
  seed: string,
): Promise<Shown> {
  const places = made.map(({ plan, location }) => ({
    key: `${owner.identifier} ${plan.input.identifier}`,
    profile: listingProfileOf(location),
    pages: demoPages(plan, directories, seed),
  }));
  try {
    return { pages: (await sandbox.populate(places)).pages, problems: [] };
  } catch (error) {
    if (!isAboutContent(error)) throw error;
  }
  // The sandbox refuses the whole request because of one place: find out which.
  const shown: Shown = { pages: 0, problems: [] };
  for (const [at, place] of places.entries()) {
    try {
      shown.pages += (await sandbox.populate([place])).pages;
    } catch (error) {
      if (!isAboutContent(error)) throw error;
      shown.problems.push({ identifier: made[at]?.plan.input.identifier ?? '', message: (error as Error).message });
    }
  }
  return shown;
}

const isAboutContent = (error: unknown) => error instanceof SandboxError && error.status === 400;

/** Gives the businesses their own pages where directories have pages of brands. */
export function showBrands(
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
        followers: new Dice('followers', type, business.key).between(1_500, 60_000),
        perMonth: 6,
      })),
    );
  return sandbox.populate([], brands);
}
