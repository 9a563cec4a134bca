import type { Database } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob } from '../../../jobs/job.ts';
import { dayOf } from '../../../values/span.ts';
import { addFindings, addToCounts, type Finding, findingsAt, removeFindings } from './finding-store.ts';
import {
  countWaiting,
  findHomeLocations,
  type HomeLocation,
  lockHomepage,
  putHomeLocations,
  removeHomeLocations,
  takeWaiting,
} from './home-location-store.ts';
import { wholePartner } from './home-scope.ts';
import { addToTotals, putLocationDays, type Totals } from './home-totals-store.ts';
import { type LocationFacts, postsUntil } from './location-facts.ts';
import { readLocationFacts } from './location-facts-store.ts';
import { scoreFactsOf, scoreOf } from './location-score.ts';
import { improvable } from './suggestion-types.ts';
import { openTasks } from './task-types.ts';

export const refreshHomepageJob = defineJob('homepage.refresh', {
  key: () => 'homepage.refresh',
  schedule: '* * * * *',
});

/** As many changes as somebody who only wants to read waits for; more are for the job. */
const mostAtOnce = 500;
const batch = 1000;

/**
 * Before a homepage is read: what changed since it was last looked at is counted now. Answers false when so much waits
 * that the job does it, and what is read is of a moment ago.
 */
export async function bringUpToDate(database: Database, partnerId: number, now: Date): Promise<boolean> {
  const waiting = await countWaiting(database.pool, partnerId, now, mostAtOnce + 1);
  if (waiting === 0) return true;
  if (waiting > mostAtOnce) {
    await refreshHomepageJob.enqueue(database.pool, {});
    return false;
  }
  await refreshHomepage(database, partnerId, now);
  return true;
}

/** Looks at some of the locations that wait; answers how many those were. */
export function refreshHomepage(database: Database, partnerId: number, now: Date): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockHomepage(transaction, partnerId);
    const ids = await takeWaiting(transaction, partnerId, now, batch);
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
  const there = new Set(after.map(({ locationId }) => locationId));
  const removed = before.filter(({ locationId }) => !there.has(locationId)).map(({ locationId }) => locationId);

  const isFound = new Set(found.map(nameOf));
  const wasFound = new Set(foundBefore.map(nameOf));
  const gone = foundBefore.filter((finding) => !isFound.has(nameOf(finding)));
  const come = found.filter((finding) => !wasFound.has(nameOf(finding)));

  if (gone.length > 0) await removeFindings(transaction, gone);
  if (removed.length > 0) await removeHomeLocations(transaction, removed);
  if (after.length > 0) await putHomeLocations(transaction, partnerId, after);
  if (come.length > 0) await addFindings(transaction, partnerId, come);
  const counts = countChanges(gone, come);
  if (counts.length > 0) await addToCounts(transaction, partnerId, counts);
  const day = dayOf(now);
  const totals = totalChanges(before, after);
  if (totals.length > 0) await addToTotals(transaction, partnerId, day, totals);
  const known = new Map(before.map((location) => [location.locationId, standingOf(location)]));
  const moved = after.filter((location) => known.get(location.locationId) !== standingOf(location));
  if (moved.length > 0) await putLocationDays(transaction, day, moved);
}

function homeLocationOf(facts: LocationFacts, now: Date): HomeLocation {
  const until = postsUntil(facts, now);
  const { hasRecentPost, ...kept } = scoreFactsOf(facts, until !== null);
  return {
    locationId: facts.locationId,
    businessId: facts.businessId,
    ...kept,
    score: scoreOf({ ...kept, hasRecentPost }).score,
    postsUntil: until,
    visibilityIndex: facts.visibilityIndex,
    ratings: facts.ratings,
    averageRating: facts.averageRating,
  };
}

const findingsOf = (facts: LocationFacts, now: Date): Finding[] =>
  [...openTasks(facts, now), ...improvable(facts)].map((type) => ({
    locationId: facts.locationId,
    businessId: facts.businessId,
    type,
  }));

/** With the business: a location that moves takes its findings along. */
const nameOf = ({ locationId, businessId, type }: Finding) => `${locationId} ${businessId} ${type}`;

/** What the history of a location keeps. */
const standingOf = ({ score, completeness, listings, listingsInSync }: HomeLocation) =>
  `${score} ${completeness} ${listings} ${listingsInSync}`;

function countChanges(gone: readonly Finding[], come: readonly Finding[]) {
  const changes = new Map<string, { businessId: number; type: string; locations: number }>();
  const add = ({ businessId, type }: Finding, locations: number) => {
    for (const id of [businessId, wholePartner]) {
      const change = changes.get(`${id} ${type}`) ?? { businessId: id, type, locations: 0 };
      change.locations += locations;
      changes.set(`${id} ${type}`, change);
    }
  };
  for (const finding of gone) add(finding, -1);
  for (const finding of come) add(finding, 1);
  return [...changes.values()].filter(({ locations }) => locations !== 0);
}

function totalChanges(before: readonly HomeLocation[], after: readonly HomeLocation[]) {
  const changes = new Map<number, Totals & { businessId: number }>();
  const add = (location: HomeLocation, sign: 1 | -1) => {
    for (const businessId of [location.businessId, wholePartner]) {
      const change = changes.get(businessId) ?? { businessId, ...nothing };
      changes.set(businessId, {
        businessId,
        locations: change.locations + sign,
        scoreSum: change.scoreSum + sign * location.score,
        completenessSum: change.completenessSum + sign * location.completeness,
        listings: change.listings + sign * location.listings,
        listingsInSync: change.listingsInSync + sign * location.listingsInSync,
      });
    }
  };
  for (const location of before) add(location, -1);
  for (const location of after) add(location, 1);
  return [...changes.values()].filter(({ businessId: _, ...change }) => Object.values(change).some((one) => one !== 0));
}

const nothing: Totals = { locations: 0, scoreSum: 0, completenessSum: 0, listings: 0, listingsInSync: 0 };
