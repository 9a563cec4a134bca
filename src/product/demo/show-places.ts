import type { Directory } from '../../platform/directories/directory.ts';
import type { SandboxControl } from '../../platform/directories/sandbox-control.ts';
import { listingProfileOf } from '../../platform/locations/listing-profile.ts';
import { businessIdentifier, demoBusinesses } from './demo-business.ts';
import { demoPages } from './demo-pages.ts';
import { Dice } from './dice.ts';
import type { MadeLocation } from './make-locations.ts';

/** Whose keys they are in the network, where other installations may have put places too. */
interface Owner {
  identifier: string;
}

/** Puts the locations on the directories, with their past. Those that were put there before stay as they are. */
export function showPlaces(
  sandbox: SandboxControl,
  directories: readonly Directory[],
  owner: Owner,
  made: readonly MadeLocation[],
  seed: string,
): Promise<{ pages: number; dataPoints: number }> {
  return sandbox.populate(
    made.map(({ plan, location }) => ({
      key: `${owner.identifier} ${plan.input.identifier}`,
      profile: listingProfileOf(location),
      pages: demoPages(plan, directories, seed),
    })),
  );
}

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
