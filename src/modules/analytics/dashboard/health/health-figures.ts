import type { Sql } from '../../../../database/connection.ts';
import { dayOf, daysAfter, type Group, periodOf, type Span } from '../../../../values/span.ts';
import { directoryList, findDirectory } from '../../../directories/index.ts';
import { actionRequiredFlows } from '../../../listings/index.ts';
import { type Classification, classifications, type Scope } from '../../../locations/index.ts';
import {
  countListings,
  countLocationsByStatus,
  type FieldCount,
  fieldCounts,
  isServed,
  type ListingCount,
  type LocationCount,
} from './health-store.ts';

/** Each field is weighted by its directory. */
interface Points {
  /** 0 to 100; absent if nothing could be compared. */
  score?: number;
  maxPoints: number;
  pointsReached: number;
}

export interface VisibilityIndex extends Points {
  byDirectory: (Points & { directoryType: string })[];
  /** Score at the end of each period. Periods before the first comparison are omitted. */
  history: { period: string; score: number }[];
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

/** Derives the history from the current score by subtracting later changes. Future days have none. */
export function visibilityOf(counts: readonly FieldCount[], span: Span, group: Group, today: string): VisibilityIndex {
  const now = counts.filter(({ day }) => day === null);
  const changes = counts
    .filter((count): count is FieldCount & { day: string } => count.day !== null)
    .sort((a, b) => (a.day < b.day ? 1 : -1));
  const fields = new Map(now.map((count) => [count.directoryType, { ...count }]));
  const history: { period: string; score: number }[] = [];
  let next = 0;
  for (const { period, end } of periodEnds(
    { from: span.from, to: span.to < today ? span.to : today },
    group,
  ).reverse()) {
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

/** Periods with their last day within the span. */
function periodEnds(span: Span, group: Group): { period: string; end: string }[] {
  const ends = new Map<string, string>();
  for (let day = span.from; day <= span.to; day = daysAfter(day, 1)) ends.set(periodOf(day, group), day);
  return [...ends].map(([period, end]) => ({ period, end }));
}

const beingUpdated = new Set(['SUBMISSION_NEEDED', 'WAITING_DIRECTORY_ACTION']);
const actionRequired = new Set<string>(actionRequiredFlows);

/** countFieldsInSync is returned to versions before _20210729 only. */
export async function listingHealth(sql: Sql, scope: Scope, directoryTypes?: readonly string[]) {
  const served = (await countListings(sql, scope, directoryTypes)).filter(isServed);
  const locations = await countLocationsByStatus(sql, scope);
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
  const counts = await countLocationsByStatus(sql, scope);
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
): Promise<VisibilityIndex> {
  return visibilityOf(await fieldCounts(sql, scope, span.from, directoryTypes), span, group, dayOf(new Date()));
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

const sumOf = <T>(rows: readonly T[], value: (row: T) => number) => rows.reduce((sum, row) => sum + value(row), 0);

const locationsOf = (counts: readonly LocationCount[], predicate: (count: LocationCount) => boolean) =>
  sumOf(counts.filter(predicate), ({ locations }) => locations);
