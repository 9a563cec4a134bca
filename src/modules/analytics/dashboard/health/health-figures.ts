import type { Sql } from '../../../../database/connection.ts';
import { dayOf, type Group, type Span } from '../../../../values/span.ts';
import { directoryList } from '../../../directories/index.ts';
import { actionRequiredFlows } from '../../../listings/index.ts';
import { type Classification, classifications, type Scope } from '../../../locations/index.ts';
import {
  countListings,
  countLocationsByStatus,
  fieldCounts,
  isServed,
  type ListingCount,
  type LocationCount,
} from './health-store.ts';
import { type VisibilityIndex, visibilityOf } from './visibility.ts';

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
