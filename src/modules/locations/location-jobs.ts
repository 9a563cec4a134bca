import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { movingPartners } from '../../database/partner-moves.ts';
import type { Transaction } from '../../database/transaction.ts';
import { Id } from '../../http/ids.ts';
import { fieldCopier } from '../../http/record-response.ts';
import { defineJob, type JobContext } from '../../jobs/job.ts';
import { TaskFailure, taskJob } from '../../jobs/tasks/task-job.ts';
import { type RunningTask, taskDefinition } from '../../jobs/tasks/task-store.ts';
import { Problem } from '../../problems.ts';
import { dayIn } from '../../values/calendar.ts';
import { dayOf } from '../../values/span.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { categoriesNamed, collectionChanged } from '../catalog/index.ts';
import { type DirectoryListing, directoryList, isFault, type ListingProfile } from '../directories/index.ts';
import { cleanseJob, locationChanged, recordCollectionChange, writeChanges } from './change-location.ts';
import { transitionLocations } from './change-status.ts';
import { cleanse } from './cleansing.ts';
import { createLocation } from './create-location.ts';
import { sharedFields } from './listing-profile.ts';
import { type LocationInput, NewLocation } from './location.ts';
import {
  lockEnded,
  lockPendingLocation,
  lockPendingLocations,
  partnerOfPendingLocation,
  partnersWithEndedLocations,
  partnersWithPendingLocations,
  setCleansingStatus,
  zonesOfEnding,
} from './location-status-store.ts';
import type { LockedLocation } from './location-store.ts';

const batchSize = 500;
// The cleansing job enqueues itself again after this time.
const maxRunMs = 30_000;

type Partner = Actor['partner'];

/** Makes cancelled locations inactive after their end date, in their own time zone. */
async function endLocations({ database, log, signal }: JobContext): Promise<void> {
  const now = await databaseNow(database.pool);
  // An end date up to today in UTC covers all time zones: none is more than a day ahead.
  const zones = await zonesOfEnding(database.pool, dayOf(now));
  const days = zones.map((zone) => dayIn(zone, now));
  const ended = await partnersWithEndedLocations(database.pool, zones, days);
  const partners = await excludeMovingPartners(database.pool, ended);
  const endBatch = async (partner: Partner) => {
    const count = await database.transaction(async (transaction) => {
      const locations = await lockEnded(transaction, partner.id, zones, days, batchSize);
      const transition = { to: 'INACTIVE', by: 'end date', now } as const;
      if (locations.length > 0) await transitionLocations(transaction, systemActor(partner), locations, transition);
      return locations.length;
    });
    if (count > 0) log.info({ event: 'locations.ended', partner: partner.identifier, count });
    return count;
  };
  await runRoundRobin(partners, endBatch, () => !signal.aborted);
}

/** Rows of a partner that is being moved to another cell cannot be changed. */
async function excludeMovingPartners(sql: Sql, partners: readonly Partner[]): Promise<Partner[]> {
  const moving = await movingPartners(sql);
  return partners.filter(({ id }) => !moving.has(id));
}

/**
 * Runs one batch per partner in turn, so that a partner with many locations does not delay others. Returns false if it
 * stopped before the last batch.
 */
async function runRoundRobin(
  partners: readonly Partner[],
  runBatch: (partner: Partner) => Promise<number>,
  canContinue: () => boolean,
): Promise<boolean> {
  const waiting = [...partners];
  for (let partner = waiting.shift(); partner; partner = waiting.shift()) {
    if (!canContinue()) return false;
    if ((await runBatch(partner)) === batchSize) waiting.push(partner);
  }
  return true;
}

async function cleanseOne(locationId: number, { database }: JobContext): Promise<void> {
  const [partner] = await partnerOfPendingLocation(database.pool, locationId);
  if (!partner) return;
  await database.transaction(async (transaction) =>
    cleanseLocked(transaction, partner, await lockPendingLocation(transaction, partner.id, locationId)),
  );
}

/** Cleanses all pending locations in batches. */
async function cleanseAll({ database, signal }: JobContext): Promise<void> {
  const until = Date.now() + maxRunMs;
  const partners = await excludeMovingPartners(database.pool, await partnersWithPendingLocations(database.pool));
  const cleanseBatch = (partner: Partner) =>
    database.transaction(async (transaction) => {
      const locations = await lockPendingLocations(transaction, partner.id, batchSize);
      await cleanseLocked(transaction, partner, locations);
      return locations.length;
    });
  const isDone = await runRoundRobin(partners, cleanseBatch, () => !signal.aborted && Date.now() < until);
  if (!isDone) await cleanseJob.enqueue(database.pool, {});
}

async function cleanseLocked(transaction: Transaction, partner: Partner, locations: readonly LockedLocation[]) {
  const results = locations.map((location) => ({ location, ...cleanse(location) }));
  const rewritten = results.filter(({ changes }) => Object.keys(changes).length > 0);
  const patches = rewritten.map(({ location, changes }) => ({ before: location, patch: changes }));
  await writeChanges(transaction, systemActor(partner), patches);
  for (const status of ['CLEANSED', 'INVALID_DATA'] as const) {
    const ids = results.filter((result) => result.status === status).map(({ location }) => location.id);
    if (ids.length > 0) await setCleansingStatus(transaction, status, ids);
  }
  // Some directories require a cleansed address: their listings can be submitted now.
  const waiting = results
    .filter(({ location, status }) => status === 'CLEANSED' && location.lastSyncStarted !== null && location.autoSync)
    .map(({ location }) => ({ locationId: location.id, partnerId: partner.id }));
  await locationChanged.enqueueMany(transaction, waiting);
}

export const downloadTask = 'LOCATION_DATA_DOWNLOAD';
export const downloadJob = defineJob('locations.download', taskDefinition);

/** Search at the directory when the id of the listing is not known. */
const Search = Type.Object({
  name: Type.String({ pattern: '\\S', maxLength: 200 }),
  street: Type.Optional(Type.String({ maxLength: 200 })),
  zip: Type.Optional(Type.String({ maxLength: 20 })),
  city: Type.Optional(Type.String({ maxLength: 100 })),
  country: Type.Optional(Type.String({ maxLength: 2 })),
  phone: Type.Optional(Type.String({ maxLength: 50 })),
});

const readable = directoryList.filter(({ supports }) => supports.onlineListing && !supports.linkOnly);

export const DownloadRequest = Type.Object({
  businessId: Id,
  directoryType: Type.Enum(readable.map(({ type }) => type)),
  externalId: Type.Optional(
    Type.String({ pattern: '\\S', maxLength: 255, description: 'Id of the listing at the directory' }),
  ),
  search: Type.Optional(Search),
  identifier: Type.Optional(NewLocation.properties.identifier),
  categories: Type.Optional(NewLocation.properties.categories),
});
type DownloadParameters = Static<typeof DownloadRequest>;

/** Creates a location from a directory listing. */
const runDownload = taskJob({
  job: downloadJob,
  async *steps(task, context) {
    if (task.step > 0) return;
    const parameters = task.parameters as unknown as DownloadParameters;
    const listing = await readListing(parameters, task, context);
    yield async (transaction) => {
      const partner = await findPartner(transaction, task.partnerId, task.partnerId);
      if (!partner) throw new TaskFailure('The partner no longer exists.');
      const { externalId, url } = listing;
      try {
        const actor = { partner, by: task.createdBy };
        const input = inputOf(listing, parameters);
        const location = await createLocation(transaction, actor, 'LOCATION_DATA_DOWNLOAD', input);
        const result = { locationId: location.id, externalId, ...(url && { url }) };
        return { position: null, done: 1, result };
      } catch (error) {
        throw error instanceof Problem ? new TaskFailure(error.message) : error;
      }
    };
  },
});

async function readListing(
  { directoryType, externalId, search }: DownloadParameters,
  { partnerId }: RunningTask,
  { directories }: JobContext,
): Promise<DirectoryListing> {
  const connector = directories.connector(directoryType, { partnerId, requested: true });
  const response =
    externalId === undefined ? await connector.search(search as ListingProfile) : await connector.read(externalId);
  if (isFault(response)) {
    const reason = response.fault === 'refused' ? response.messages.join(' ') : response.detail;
    throw new TaskFailure(`The listing could not be read from ${directoryType}: ${reason}`);
  }
  const listing = Array.isArray(response) ? response[0] : response;
  if (!listing) throw new TaskFailure(`The listing was not found on ${directoryType}.`);
  return listing;
}

const copyFields = fieldCopier(sharedFields);

/** Maps a directory listing to a location. Values of the request have precedence. */
function inputOf({ profile }: DirectoryListing, given: DownloadParameters): LocationInput {
  const { name, categories: names = [], photos = [] } = profile;
  const input: LocationInput = {
    businessId: given.businessId,
    ...(given.identifier !== undefined && { identifier: given.identifier }),
    name,
    street: '',
    city: '',
    country: '',
    categories: given.categories ?? names.flatMap(categoryIdNamed),
    ...(photos.length > 0 && { photos: photos.map((url) => ({ url })) }),
  };
  copyFields(profile, input);
  return input;
}

/** Unknown names are omitted: a similar category could be wrong. */
function categoryIdNamed(name: string): number[] {
  const [found] = categoriesNamed(name, 'en');
  return found ? [found.id] : [];
}

export const locationJobs = [
  defineJob('locations.end', { schedule: '*/5 * * * *' }).implement((_, context) => endLocations(context)),
  cleanseJob.implement(({ locationId }, context) =>
    locationId === undefined ? cleanseAll(context) : cleanseOne(locationId, context),
  ),
  runDownload,
  collectionChanged.implement(({ actor, ...change }, { database }) =>
    database.transaction(async (transaction) => {
      const after = await recordCollectionChange(transaction, actor, change);
      if (after !== undefined) await collectionChanged.enqueue(transaction, { ...change, actor, after });
    }),
  ),
];
