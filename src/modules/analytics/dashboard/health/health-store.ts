import type { Sql } from '../../../../database/connection.ts';
import type { ClaimStatus, FlowStatus, Listing, SyncStatus } from '../../../listings/index.ts';
import type { Classification, LocationStatus, Scope } from '../../../locations/index.ts';
import {
  defineRollUp,
  defineStatementsByScope,
  plainSum,
  rolledUpRows,
  runForScope,
  type ScopeKind,
} from '../roll-up.ts';

export const listingRollUp = defineRollUp({
  figures: 'listing_figures',
  deltas: 'listing_deltas',
  keys: ['directory_type', 'kind', 'claim_status', 'flow_status', 'sync_status', 'connect_status', 'linked'],
  sums: {
    listings: plainSum('listings'),
    matching_fields: plainSum('matching_fields'),
    comparable_fields: plainSum('comparable_fields'),
  },
});

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

export const countListings = (sql: Sql, scope: Scope, directoryTypes?: readonly string[]): Promise<ListingCount[]> =>
  runForScope(sql, listingCounts, scope, [directoryTypes ?? null]);

const ofType = '($1::text[] is null or directory_type = any ($1))';

const listingCounts = defineStatementsByScope<ListingCount>(
  'count-listings',
  {
    directoryType: 'text',
    kind: 'text',
    claimStatus: 'text',
    flowStatus: 'text',
    syncStatus: 'text',
    connectStatus: 'text',
    linked: 'bool',
    listings: 'int8',
    matchingFields: 'int8',
  },
  (kind) => `
    select directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked,
      sum(listings)::bigint as listings, sum(matching_fields)::bigint as matching_fields
    from (${listingRows(kind, 2)}) as counted
    group by directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked
    having sum(listings) > 0`,
);

/** Rows with the columns of the roll-up that sum up to the listings of a scope, of the directories $1. */
function listingRows(kind: ScopeKind, first: number): string {
  if (kind === 'locations') {
    return `select directory_type, listing_kind(duplicate_of, suppressed_at) as kind, claim_status, flow_status, sync_status,
        connect_status, external_id is not null as linked, 1 as listings, matching_fields, comparable_fields
      from listings where location_id = any ($${first}::bigint[]) and ${ofType}`;
  }
  const columns = [...listingRollUp.keys, ...Object.keys(listingRollUp.sums)].join(', ');
  return rolledUpRows(listingRollUp, kind, first, columns, { condition: ofType });
}

export const locationRollUp = defineRollUp({
  figures: 'location_figures',
  deltas: 'location_deltas',
  keys: ['status', 'classification', 'awaits_sync'],
  sums: { locations: plainSum('locations'), completeness: plainSum('completeness') },
});

export interface LocationCount {
  status: LocationStatus;
  classification: Classification;
  /** Never synced, or changed since without autoSync. */
  awaitsSync: boolean;
  locations: number;
  /** Sum of the percentages. */
  completeness: number;
}

export const countLocationsByStatus = (sql: Sql, scope: Scope): Promise<LocationCount[]> =>
  runForScope(sql, locationCounts, scope);

const locationCounts = defineStatementsByScope<LocationCount>(
  'count-locations',
  { status: 'text', classification: 'text', awaitsSync: 'bool', locations: 'int8', completeness: 'int8' },
  (kind) => `
    select status, classification, awaits_sync, sum(locations)::bigint as locations,
      sum(completeness)::bigint as completeness
    from (${locationRows(kind)}) as counted
    group by status, classification, awaits_sync
    having sum(locations) > 0`,
);

function locationRows(kind: ScopeKind): string {
  if (kind === 'locations') {
    return `select status, classification, awaits_sync(status, auto_sync, revision, synced_revision) as awaits_sync,
        1 as locations, profile_completeness as completeness
      from locations where id = any ($1::bigint[]) and status <> 'DELETED'`;
  }
  return rolledUpRows(locationRollUp, kind, 1, 'status, classification, awaits_sync, locations, completeness');
}

/** Daily changes of matching and comparable fields. */
export const visibilityRollUp = defineRollUp({
  figures: 'visibility_figures',
  deltas: 'visibility_deltas',
  keys: ['day', 'directory_type'],
  sums: { matching_fields: plainSum('matching_fields'), comparable_fields: plainSum('comparable_fields') },
});

export interface FieldCount {
  directoryType: string;
  /** Day of the change; null: the current value. */
  day: string | null;
  matching: number;
  comparable: number;
}

/** Current values and changes after a day, read in one statement so that the history can be derived. */
export const fieldCounts = (
  sql: Sql,
  scope: Scope,
  after: string,
  directoryTypes?: readonly string[],
): Promise<FieldCount[]> => runForScope(sql, fieldCountsAndChanges, scope, [directoryTypes ?? null, after]);

const fieldSums = 'sum(matching_fields)::bigint as matching, sum(comparable_fields)::bigint as comparable';

const fieldCountsAndChanges = defineStatementsByScope<FieldCount>(
  'count-fields',
  { directoryType: 'text', day: 'text', matching: 'int8', comparable: 'int8' },
  (kind) => `
    select directory_type, null as day, ${fieldSums}
    from (${listingRows(kind, 3)}) as listed
    where kind = 'ORIGINAL' and flow_status <> 'INACTIVE'
    group by directory_type
    union all
    select directory_type, to_char(day, 'YYYY-MM-DD'), ${fieldSums}
    from (${changedRows(kind, 3)}) as changed
    group by directory_type, day`,
);

function changedRows(kind: ScopeKind, first: number): string {
  const columns = 'directory_type, day, matching_fields, comparable_fields';
  const condition = `${ofType} and day > $2::date`;
  if (kind === 'locations') {
    return `select ${columns} from visibility_changes where location_id = any ($${first}::bigint[]) and ${condition}`;
  }
  return rolledUpRows(visibilityRollUp, kind, first, columns, { condition });
}
