import type { Database } from '../../../database/connection.ts';
import { databaseNow } from '../../../database/database-clock.ts';
import { isPartnerMoving } from '../../../database/faults.ts';
import { movingPartners } from '../../../database/partner-moves.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob } from '../../../jobs/job.ts';
import { dayOf, daysAfter } from '../../../values/span.ts';
import { allBusinesses } from '../dashboard/roll-up.ts';
import {
  addFindings,
  addToCounts,
  type CountChange,
  deleteExpiredDismissals,
  type Finding,
  findingsAt,
  removeFindings,
} from './finding-store.ts';
import { findingsForSuggestions, openTasks } from './finding-types.ts';
import {
  addToTotals,
  claimPendingLocations,
  countPending,
  deleteOldLocationDays,
  findHomeLocations,
  type HomeLocation,
  historyKey,
  lockHomepage,
  partnersWithPendingLocations,
  removeHomeLocations,
  type Totals,
  totalNames,
  upsertHomeLocations,
  upsertLocationDays,
} from './home-location-store.ts';
import { type LocationFacts, readLocationFacts } from './location-facts.ts';
import { homeLocationOf } from './location-score.ts';

export const refreshHomepageJob = defineJob('homepage.refresh', {
  key: () => 'homepage.refresh',
  schedule: '* * * * *',
});

/** Readers process up to this number of changes themselves; the job processes more. */
const maxInline = 500;
const batch = 1000;

/**
 * Processes pending changes before a read. Returns false if there are too many, and the job processes them, or if the
 * partner is being moved to another cell: the reader gets older values.
 */
export async function catchUp(database: Database, partnerId: number, now: Date): Promise<boolean> {
  const pending = await countPending(database.pool, partnerId, now, maxInline + 1);
  if (pending === 0) return true;
  if (pending > maxInline) {
    await refreshHomepageJob.enqueue(database.pool, {});
    return false;
  }
  return (await refreshOrSkip(database, partnerId, now)) !== undefined;
}

/** Undefined for a partner that is being moved to another cell, whose values cannot be changed. */
export async function refreshOrSkip(database: Database, partnerId: number, now: Date): Promise<number | undefined> {
  try {
    return await refreshHomepage(database, partnerId, now);
  } catch (error) {
    if (isPartnerMoving(error)) return undefined;
    throw error;
  }
}

/** Processes one batch and returns its size. */
export function refreshHomepage(database: Database, partnerId: number, now: Date): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockHomepage(transaction, partnerId);
    const ids = await claimPendingLocations(transaction, partnerId, now, batch);
    if (ids.length > 0) await refreshLocations(transaction, partnerId, ids, now);
    return ids.length;
  });
}

async function refreshLocations(
  transaction: Transaction,
  partnerId: number,
  ids: readonly number[],
  now: Date,
): Promise<void> {
  const [facts, before, foundBefore] = await Promise.all([
    readLocationFacts(transaction, partnerId, ids),
    findHomeLocations(transaction, ids),
    findingsAt(transaction, ids),
  ]);
  const after = facts.map((one) => homeLocationOf(one, now));
  const found = facts.flatMap((one) => findingsOf(one, now));
  const currentIds = new Set(after.map(({ locationId }) => locationId));
  const removed = before.filter(({ locationId }) => !currentIds.has(locationId)).map(({ locationId }) => locationId);

  const isFound = new Set(found.map(keyOf));
  const wasFound = new Set(foundBefore.map(keyOf));
  const removedFindings = foundBefore.filter((finding) => !isFound.has(keyOf(finding)));
  const addedFindings = found.filter((finding) => !wasFound.has(keyOf(finding)));

  if (removedFindings.length > 0) await removeFindings(transaction, removedFindings);
  if (removed.length > 0) await removeHomeLocations(transaction, removed);
  if (after.length > 0) await upsertHomeLocations(transaction, partnerId, after);
  if (addedFindings.length > 0) await addFindings(transaction, partnerId, addedFindings);
  const counts = countChanges(removedFindings, addedFindings);
  if (counts.length > 0) await addToCounts(transaction, partnerId, counts);
  const day = dayOf(now);
  const totals = totalChanges(before, after);
  if (totals.length > 0) await addToTotals(transaction, partnerId, day, totals);
  const previousKeys = new Map(before.map((location) => [location.locationId, historyKey(location)]));
  const changedLocations = after.filter((location) => previousKeys.get(location.locationId) !== historyKey(location));
  if (changedLocations.length > 0) await upsertLocationDays(transaction, day, changedLocations);
}

const findingsOf = (facts: LocationFacts, now: Date): Finding[] =>
  [...openTasks(facts, now), ...findingsForSuggestions(facts)].map((type) => ({
    locationId: facts.locationId,
    businessId: facts.businessId,
    type,
  }));

/** Includes the business, so that findings move with their location. */
const keyOf = ({ locationId, businessId, type }: Finding) => `${locationId} ${businessId} ${type}`;

function countChanges(removedFindings: readonly Finding[], addedFindings: readonly Finding[]) {
  const changes = new Map<string, CountChange>();
  const add = ({ businessId, type }: Finding, locations: number) => {
    for (const id of [businessId, allBusinesses]) {
      const change = changes.get(`${id} ${type}`) ?? { businessId: id, type, locations: 0 };
      change.locations += locations;
      changes.set(`${id} ${type}`, change);
    }
  };
  for (const finding of removedFindings) add(finding, -1);
  for (const finding of addedFindings) add(finding, 1);
  return [...changes.values()].filter(({ locations }) => locations !== 0);
}

function totalChanges(before: readonly HomeLocation[], after: readonly HomeLocation[]) {
  const changes = new Map<number, Totals & { businessId: number }>();
  const add = (location: HomeLocation, sign: 1 | -1) => {
    const totals = totalsOfOne(location);
    for (const businessId of [location.businessId, allBusinesses]) {
      const change = changes.get(businessId) ?? { businessId, ...noTotals };
      for (const name of totalNames) change[name] += sign * totals[name];
      changes.set(businessId, change);
    }
  };
  for (const location of before) add(location, -1);
  for (const location of after) add(location, 1);
  return [...changes.values()].filter((change) => totalNames.some((name) => change[name] !== 0));
}

const totalsOfOne = ({ score, completeness, listings, listingsInSync }: HomeLocation): Totals => ({
  locations: 1,
  scoreSum: score,
  completenessSum: completeness,
  listings,
  listingsInSync,
});

const noTotals: Totals = { locations: 0, scoreSum: 0, completenessSum: 0, listings: 0, listingsInSync: 0 };

/** The longest span of figures and its preceding period. */
const retentionDays = 2 * 731;
/** The job runs every minute. */
const maxRunMs = 45_000;

export const homepageJobs = [
  refreshHomepageJob.implement(async (_, { database, log, signal }) => {
    const began = Date.now();
    let locations = 0;
    while (!signal.aborted && Date.now() - began < maxRunMs) {
      const now = await databaseNow(database.pool);
      const moving = await movingPartners(database.pool);
      const pending = await partnersWithPendingLocations(database.pool, now);
      const partners = pending.filter((id) => !moving.has(id));
      if (partners.length === 0) break;
      // One batch per partner in turn, so that a partner with many changes does not block others.
      for (const partnerId of partners) locations += await refreshHomepage(database, partnerId, now);
    }
    log.debug({ event: 'homepage.refreshed', locations, tookMs: Date.now() - began });
  }),
  defineJob('homepage.forget', { schedule: '17 3 * * *' }).implement(async (_, { database }) => {
    const today = dayOf(await databaseNow(database.pool));
    await deleteExpiredDismissals(database.pool, today);
    await deleteOldLocationDays(database.pool, daysAfter(today, -retentionDays));
  }),
];
