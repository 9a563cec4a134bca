import type { Sql } from '../../../../database/connection.ts';
import { runUnprepared, textList } from '../../../../database/statement.ts';
import type { Directory } from '../../../directories/index.ts';
import { uncountedFlows } from '../../../listings/index.ts';
import type { Scope } from '../../../locations/index.ts';
import { countListings, isServed, type ListingCount } from '../health/health-figures.ts';
import { defineStatementsByScope, type ScopeKind } from '../roll-up.ts';

/** Limits the ids; the counts include all locations. */
export const maxLocations = 1000;

/**
 * Reasons for missing insights: no connected account, or a listing that is not claimed by us. Listings on directories
 * without accounts count as connected.
 */
export async function insightWarnings(sql: Sql, scope: Scope, directories: readonly Directory[]) {
  const types = directories.map(({ type }) => type);
  const served = (await countListings(sql, scope, types)).filter(isServed);
  const claimed = directories.filter(({ supports }) => supports.claim).map(({ type }) => type);
  const values = scope.kind === 'partner' ? [] : [scope.kind === 'businesses' ? scope.businessIds : scope.locationIds];
  const find = async (connection: Connection, directoryTypes: readonly string[]) => {
    const statement = locationStatements[connection][scope.kind];
    const found = await runUnprepared(sql, statement, [scope.partnerId, directoryTypes, maxLocations, ...values]);
    return found.map(({ id }) => id);
  };
  return {
    byDirectory: types.map((type) => warningsOf(type, claimed.includes(type), served)),
    locations: {
      CONNECTED: await find('CONNECTED', types),
      NOT_CONNECTED: await find('NOT_CONNECTED', types),
      NOT_PERMITTED: await find('NOT_PERMITTED', claimed),
    },
  };
}

function warningsOf(directoryType: string, canBeClaimed: boolean, counts: readonly ListingCount[]) {
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

/** NOT_PERMITTED: connected, but the listing is not claimed by us. */
type Connection = 'CONNECTED' | 'NOT_CONNECTED' | 'NOT_PERMITTED';

/** One select per status, so that each uses the order of an index and stops at the limit. */
const statusesOf: Record<Connection, readonly string[]> = {
  CONNECTED: ['CONNECTED', 'NOT_NEEDED'],
  NOT_CONNECTED: ['NOT_CONNECTED'],
  NOT_PERMITTED: ['CONNECTED', 'NOT_NEEDED'],
};

const inScope: Record<ScopeKind, string> = {
  partner: '',
  businesses: 'and location.business_id = any ($4::bigint[])',
  locations: 'and listing.location_id = any ($4::bigint[])',
};

const defineLocationsWith = (name: string, connection: Connection) =>
  defineStatementsByScope<{ id: number }>(name, { id: 'int8' }, (kind) => {
    const notClaimed = connection === 'NOT_PERMITTED' ? `and claim_status <> 'CLAIMED_BY_US'` : '';
    const selects = statusesOf[connection].map(
      (status) => `(
        select distinct location_id from listings listing join locations location on location.id = location_id
        where listing.partner_id = $1 and connect_status = '${status}' and duplicate_of is null
          and directory_type = any ($2::text[]) and flow_status not in ${textList(uncountedFlows)}
          and location.status <> 'DELETED'
          ${notClaimed} ${inScope[kind]}
        order by location_id limit $3
      )`,
    );
    return `select location_id as id from (${selects.join(' union ')}) as found order by 1 limit $3`;
  });

/** Ids of the first locations with a listing in this state on one of the directories. */
const locationStatements = {
  CONNECTED: defineLocationsWith('connected-locations', 'CONNECTED'),
  NOT_CONNECTED: defineLocationsWith('not-connected-locations', 'NOT_CONNECTED'),
  NOT_PERMITTED: defineLocationsWith('not-permitted-locations', 'NOT_PERMITTED'),
};
