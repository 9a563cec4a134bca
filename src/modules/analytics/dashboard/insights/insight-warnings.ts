import type { Sql } from '../../../../database/connection.ts';
import type { Directory } from '../../../directories/index.ts';
import type { Scope } from '../../../locations/index.ts';
import { countListings, type ListingCount } from '../health/listing-counts.ts';
import { type Connection, locationsWith } from './insight-warnings-store.ts';

/** Limits the ids; the counts include all locations. */
export const maxLocations = 1000;

interface DirectoryWarnings {
  directoryType: string;
  connected: number;
  notConnected: number;
  missingPermission: number;
}

export interface InsightWarnings {
  byDirectory: DirectoryWarnings[];
  /** At most 1,000 ids each. */
  locations: Record<Connection, number[]>;
}

/**
 * Reasons for missing insights: no connected account, or a listing that is not claimed by us. Listings on directories
 * without accounts count as connected.
 */
export async function insightWarnings(
  sql: Sql,
  scope: Scope,
  directories: readonly Directory[],
): Promise<InsightWarnings> {
  const types = directories.map(({ type }) => type);
  const served = (await countListings(sql, scope, types)).filter(
    ({ kind, flowStatus }) => kind === 'ORIGINAL' && flowStatus !== 'INACTIVE',
  );
  const claimed = directories.filter(({ supports }) => supports.claim).map(({ type }) => type);
  const find = (connection: Connection, of: readonly string[]) =>
    locationsWith(sql, scope, connection, of, maxLocations);
  return {
    byDirectory: types.map((type) => warningsOf(type, claimed.includes(type), served)),
    locations: {
      CONNECTED: await find('CONNECTED', types),
      NOT_CONNECTED: await find('NOT_CONNECTED', types),
      NOT_PERMITTED: await find('NOT_PERMITTED', claimed),
    },
  };
}

function warningsOf(directoryType: string, canBeClaimed: boolean, counts: readonly ListingCount[]): DirectoryWarnings {
  const warnings = { directoryType, connected: 0, notConnected: 0, missingPermission: 0 };
  for (const { listings, connectStatus, claimStatus } of counts.filter((one) => one.directoryType === directoryType)) {
    if (connectStatus === 'NOT_CONNECTED') warnings.notConnected += listings;
    else warnings.connected += listings;
    if (connectStatus !== 'NOT_CONNECTED' && canBeClaimed && claimStatus !== 'CLAIMED_BY_US') {
      warnings.missingPermission += listings;
    }
  }
  return warnings;
}
