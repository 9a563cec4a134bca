import type { Sql } from '../../../../database/connection.ts';
import type { ClaimStatus, FlowStatus, Listing, SyncStatus } from '../../../listings/index.ts';
import type { Classification, LocationStatus, Scope } from '../../../locations/index.ts';
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

/** Excludes duplicates and listings that the plan does not include, like the counts of a location. */
export const isServed = ({ kind, flowStatus }: ListingCount) => kind === 'ORIGINAL' && flowStatus !== 'INACTIVE';

const ofType = '($1::text[] is null or directory_type = any ($1))';

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
     from (${listingRows(scope, ofType, values)}) as counted
     group by directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked
     having sum(listings) > 0`,
    values,
  );
  return rows;
}

/** Rows with the columns of the roll-up that sum up to the listings of a scope. */
function listingRows(scope: Scope, condition: string, values: unknown[]): string {
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

export const locationRollUp: RollUp = {
  figures: 'location_figures',
  deltas: 'location_deltas',
  keys: ['status', 'classification', 'awaits_sync'],
  sums: { locations: plainSum('locations'), completeness: plainSum('completeness') },
};

export interface LocationCount {
  status: LocationStatus;
  classification: Classification;
  /** Never synced, or changed since without autoSync. */
  awaitsSync: boolean;
  locations: number;
  /** Sum of the percentages. */
  completeness: number;
}

export async function countLocationsByStatus(sql: Sql, scope: Scope): Promise<LocationCount[]> {
  const values: unknown[] = [];
  const { rows } = await sql.query<LocationCount>(
    `select status, classification, awaits_sync as "awaitsSync", sum(locations)::bigint as locations,
       sum(completeness)::bigint as completeness
     from (${locationRows(scope, values)}) as counted
     group by status, classification, awaits_sync
     having sum(locations) > 0`,
    values,
  );
  return rows;
}

function locationRows(scope: Scope, values: unknown[]): string {
  if (scope.kind === 'locations') {
    return `select status, classification, awaits_sync(status, auto_sync, revision, synced_revision) as awaits_sync,
        1 as locations, profile_completeness as completeness
      from locations where id = any ($${values.push(scope.locationIds)}::bigint[]) and status <> 'DELETED'`;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  const columns = 'status, classification, awaits_sync, locations, completeness';
  return `select ${columns} from location_figures where ${figures}
    union all
    select ${columns} from location_deltas where ${deltas}`;
}

/** Daily changes of matching and comparable fields. */
export const visibilityRollUp: RollUp = {
  figures: 'visibility_figures',
  deltas: 'visibility_deltas',
  keys: ['day', 'directory_type'],
  sums: { matching_fields: plainSum('matching_fields'), comparable_fields: plainSum('comparable_fields') },
};

export interface FieldCount {
  directoryType: string;
  /** Day of the change; null: the current value. */
  day: string | null;
  matching: number;
  comparable: number;
}

/** Current values and changes after a day, read in one statement so that the history can be derived. */
export async function fieldCounts(
  sql: Sql,
  scope: Scope,
  after: string,
  directoryTypes?: readonly string[],
): Promise<FieldCount[]> {
  const values: unknown[] = [directoryTypes ?? null, after];
  const sums = 'sum(matching_fields)::bigint as matching, sum(comparable_fields)::bigint as comparable';
  const { rows } = await sql.query<FieldCount>(
    `select directory_type as "directoryType", null as day, ${sums}
     from (${listingRows(scope, ofType, values)}) as listed
     where kind = 'ORIGINAL' and flow_status <> 'INACTIVE'
     group by directory_type
     union all
     select directory_type, to_char(day, 'YYYY-MM-DD'), ${sums}
     from (${changedRows(scope, `${ofType} and day > $2::date`, values)}) as changed
     group by directory_type, day`,
    values,
  );
  return rows;
}

function changedRows(scope: Scope, condition: string, values: unknown[]): string {
  const columns = 'directory_type, day, matching_fields, comparable_fields';
  if (scope.kind === 'locations') {
    const locations = `location_id = any ($${values.push(scope.locationIds)}::bigint[])`;
    return `select ${columns} from visibility_changes where ${locations} and ${condition}`;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  return `select ${columns} from visibility_figures where ${figures} and ${condition}
    union all
    select ${columns} from visibility_deltas where ${deltas} and ${condition}`;
}
