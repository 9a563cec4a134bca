import type { Sql } from '../../../../database/connection.ts';
import { textList } from '../../../../database/statement.ts';
import { dayOf, type Group, lastDayOf, periodsOf, type Span } from '../../../../values/span.ts';
import { directoryList, findDirectory } from '../../../directories/index.ts';
import {
  actionRequiredFlows,
  type ClaimStatus,
  type FlowStatus,
  type Listing,
  type SyncStatus,
  uncountedFlows,
} from '../../../listings/index.ts';
import { type Classification, classifications, type LocationStatus, type Scope } from '../../../locations/index.ts';
import { sumOf } from '../../arithmetic.ts';
import {
  defineRollUp,
  defineStatementsByScope,
  plainSums,
  rolledUpRows,
  runForScope,
  type ScopeKind,
} from '../roll-up.ts';

/** Each field is weighted by its directory. */
interface Points {
  /** 0 to 100; absent if nothing could be compared. */
  score?: number;
  maxPoints: number;
  pointsReached: number;
}

type Fields = Pick<FieldCount, 'directoryType' | 'matching' | 'comparable'>;

const weightOf = (directoryType: string) => findDirectory(directoryType)?.weight ?? 0;

function pointsOf(fields: Iterable<Fields>): Points {
  let pointsReached = 0;
  let maxPoints = 0;
  for (const { directoryType, matching, comparable } of fields) {
    pointsReached += matching * weightOf(directoryType);
    maxPoints += comparable * weightOf(directoryType);
  }
  return { ...(maxPoints > 0 && { score: Math.round((100 * pointsReached) / maxPoints) }), maxPoints, pointsReached };
}

/**
 * Derives the history, the score at the end of each period, from the current score by subtracting later changes. Future
 * days have none. Periods before the first comparison are omitted.
 */
export function visibilityOf(counts: readonly FieldCount[], span: Span, group: Group, today: string) {
  const now = counts.filter(({ day }) => day === null);
  const changes = counts
    .filter((count): count is FieldCount & { day: string } => count.day !== null)
    .sort((a, b) => (a.day < b.day ? 1 : -1));
  const fields = new Map(now.map((count) => [count.directoryType, { ...count }]));
  const history: { period: string; score: number }[] = [];
  let next = 0;
  const to = earlier(span.to, today);
  for (const period of periodsOf({ from: span.from, to }, group).reverse()) {
    const end = earlier(lastDayOf(period, group), to);
    for (let change = changes[next]; change && change.day > end; change = changes[++next]) {
      const { directoryType } = change;
      const known = fields.get(directoryType) ?? { directoryType, matching: 0, comparable: 0 };
      fields.set(directoryType, {
        ...known,
        day: null,
        matching: known.matching - change.matching,
        comparable: known.comparable - change.comparable,
      });
    }
    const { score } = pointsOf(fields.values());
    if (score !== undefined) history.unshift({ period, score });
  }
  return {
    ...pointsOf(now),
    byDirectory: now
      .filter(({ comparable }) => comparable > 0)
      .map((count) => ({ directoryType: count.directoryType, ...pointsOf([count]) }))
      .sort(
        (a, b) => weightOf(b.directoryType) - weightOf(a.directoryType) || (a.directoryType < b.directoryType ? -1 : 1),
      ),
    history,
  };
}

const earlier = (one: string, other: string) => (one < other ? one : other);

const beingUpdated = new Set(['SUBMISSION_NEEDED', 'WAITING_DIRECTORY_ACTION']);
const actionRequired = new Set<string>(actionRequiredFlows);

/** countFieldsInSync is returned to versions before _20210729 only. */
export async function listingHealth(sql: Sql, scope: Scope, directoryTypes?: readonly string[]) {
  const served = (await countListings(sql, scope, directoryTypes)).filter(isServed);
  const locations = await runForScope(sql, locationCounts, scope);
  const listings = (predicate: (count: ListingCount) => boolean) =>
    sumOf(served.filter(predicate), ({ listings: n }) => n);
  const unconnected = new Set(
    served.filter(({ connectStatus }) => connectStatus === 'NOT_CONNECTED').map(({ directoryType }) => directoryType),
  );
  return {
    countFieldsInSync: sumOf(served, ({ matchingFields }) => matchingFields),
    countListingsInSync: listings(({ syncStatus }) => syncStatus === 'IN_SYNC'),
    countListingsSubmitted: listings(({ flowStatus }) => flowStatus === 'ALL_INFORMATION_SUBMITTED'),
    countListingsBeingUpdated: listings(({ flowStatus }) => beingUpdated.has(flowStatus)),
    countListingsLinked: listings(({ linked }) => linked),
    countListingsActionRequired: listings(({ flowStatus }) => actionRequired.has(flowStatus)),
    countLocationsRequireSync: locationsOf(locations, ({ awaitsSync }) => awaitsSync),
    countLocationsNeedsReview: locationsOf(locations, ({ status }) => status === 'NEEDS_REVIEW'),
    directoriesMissingConnect: directoryList
      .filter(({ type, needsConnection }) => needsConnection && unconnected.has(type))
      .map(({ type }) => type),
  };
}

/** The average is absent if there are no locations. */
export async function profileCompleteness(sql: Sql, scope: Scope) {
  const counts = await runForScope(sql, locationCounts, scope);
  const locationsCount = locationsOf(counts, () => true);
  const sum = sumOf(counts, ({ completeness }) => completeness);
  const countOf = (level: Classification) => locationsOf(counts, ({ classification }) => classification === level);
  return {
    ...(locationsCount > 0 && { averageProfileCompleteness: Math.round((100 * sum) / locationsCount) / 100 }),
    locationClassificationCounts: Object.fromEntries(classifications.map((level) => [level, countOf(level)])) as Record<
      Classification,
      number
    >,
    locationsCount,
  };
}

/** Share of listing fields that are correct across directories, now and at the end of each period. */
export async function visibilityIndex(
  sql: Sql,
  scope: Scope,
  span: Span,
  group: Group,
  directoryTypes?: readonly string[],
) {
  const counts = await runForScope(sql, fieldCounts, scope, [directoryTypes ?? null, span.from]);
  return visibilityOf(counts, span, group, dayOf(new Date()));
}

/** Duplicates that directories were asked to remove. */
export async function suppressedDuplicates(sql: Sql, scope: Scope, directoryTypes?: readonly string[]) {
  const suppressed = (await countListings(sql, scope, directoryTypes)).filter(({ kind }) => kind === 'SUPPRESSED');
  const byDirectory = Map.groupBy(suppressed, ({ directoryType }) => directoryType);
  const countByDirectory = [...byDirectory]
    .map(([directoryType, counts]) => ({ directoryType, count: sumOf(counts, ({ listings }) => listings) }))
    .sort((a, b) => b.count - a.count || (a.directoryType < b.directoryType ? -1 : 1));
  return { totalCount: sumOf(countByDirectory, ({ count }) => count), countByDirectory };
}

const locationsOf = (counts: readonly LocationCount[], predicate: (count: LocationCount) => boolean) =>
  sumOf(counts.filter(predicate), ({ locations }) => locations);

export const listingRollUp = defineRollUp({
  figures: 'listing_figures',
  deltas: 'listing_deltas',
  keys: ['directory_type', 'kind', 'claim_status', 'flow_status', 'sync_status', 'connect_status', 'linked'],
  sums: plainSums('listings', 'matching_fields', 'comparable_fields'),
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

/** Excludes duplicates and listings that are inactive or removed, like the counts of a location. */
export const isServed = ({ kind, flowStatus }: ListingCount) =>
  kind === 'ORIGINAL' && !uncountedFlows.includes(flowStatus);

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
    select ${listingRollUp.keys.join(', ')},
      sum(listings)::bigint as listings, sum(matching_fields)::bigint as matching_fields
    from (${listingRows(kind, 2)}) as counted
    group by ${listingRollUp.keys.join(', ')}
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
  sums: plainSums('locations', 'completeness'),
});

interface LocationCount {
  status: LocationStatus;
  classification: Classification;
  /** Never synced, or changed since without autoSync. */
  awaitsSync: boolean;
  locations: number;
  /** Sum of the percentages. */
  completeness: number;
}

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
  sums: plainSums('matching_fields', 'comparable_fields'),
});

interface FieldCount {
  directoryType: string;
  /** Day of the change; null: the current value. */
  day: string | null;
  matching: number;
  comparable: number;
}

const fieldSums = 'sum(matching_fields)::bigint as matching, sum(comparable_fields)::bigint as comparable';

/** Current values and changes after a day, read in one statement so that the history can be derived. */
const fieldCounts = defineStatementsByScope<FieldCount>(
  'count-fields',
  { directoryType: 'text', day: 'text', matching: 'int8', comparable: 'int8' },
  (kind) => `
    select directory_type, null as day, ${fieldSums}
    from (${listingRows(kind, 3)}) as listed
    where kind = 'ORIGINAL' and flow_status not in ${textList(uncountedFlows)}
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
