import type { Sql } from '../../../../database/connection.ts';
import type { ClaimStatus, FlowStatus, Listing, SyncStatus } from '../../../listings/index.ts';
import type { Scope } from '../../../locations/index.ts';
import { plainSum, type RollUp, scopeConditions } from '../roll-up.ts';

export const listingRollUp: RollUp = {
  figures: 'listing_figures',
  deltas: 'listing_deltas',
  keys: ['directory_type', 'kind', 'claim_status', 'flow_status', 'sync_status', 'connect_status', 'linked'],
  sums: {
    listings: plainSum('listings'),
    matching_fields: plainSum('matching_fields'),
    comparable_fields: plainSum('comparable_fields'),
  },
};

export interface ListingCount {
  directoryType: string;
  kind: 'ORIGINAL' | 'DUPLICATE' | 'SUPPRESSED';
  claimStatus: ClaimStatus;
  flowStatus: FlowStatus;
  syncStatus: SyncStatus;
  connectStatus: Listing['connectStatus'];
  /** Whether the listing is linked to an external listing. */
  linked: boolean;
  listings: number;
  matchingFields: number;
}

export async function countListings(
  sql: Sql,
  scope: Scope,
  directoryTypes?: readonly string[],
): Promise<ListingCount[]> {
  const values: unknown[] = [directoryTypes ?? null];
  const { rows } = await sql.query<ListingCount>(
    `select directory_type as "directoryType", kind, claim_status as "claimStatus", flow_status as "flowStatus",
       sync_status as "syncStatus", connect_status as "connectStatus", linked,
       sum(listings)::bigint as listings, sum(matching_fields)::bigint as "matchingFields"
     from (${listingRows(scope, '($1::text[] is null or directory_type = any ($1))', values)}) as counted
     group by directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked
     having sum(listings) > 0`,
    values,
  );
  return rows;
}

/** Rows with the columns of the roll-up that sum up to the listings of a scope. */
export function listingRows(scope: Scope, condition: string, values: unknown[]): string {
  const columns = [...listingRollUp.keys, ...Object.keys(listingRollUp.sums)].join(', ');
  if (scope.kind === 'locations') {
    return `select directory_type, listing_kind(duplicate_of, suppressed_at) as kind, claim_status, flow_status, sync_status,
        connect_status, external_id is not null as linked, 1 as listings, matching_fields, comparable_fields
      from listings where location_id = any ($${values.push(scope.locationIds)}::bigint[]) and ${condition}`;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  return `select ${columns} from listing_figures where ${figures} and ${condition}
    union all
    select ${columns} from listing_deltas where ${deltas} and ${condition}`;
}
