import type { Sql } from '../../../database/connection.ts';
import type { JobContext } from '../../../jobs/job.ts';
import {
  type DataPointPage,
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryFault,
  findDirectory,
  isFault,
} from '../../directories/index.ts';
import { type DatapointFeed, enqueueCheck, type NextProgress, toDirectorySource } from '../../listings/index.ts';
import { findStoredDatapoints, findStoredReplies, findValidDatapoints } from './check-store.ts';
import {
  doubtSeconds,
  type FetchedDatapoint,
  findMissing,
  type Inventory,
  judgeConfirmedLoss,
  type Missing,
  needsConfirmation,
  parseDatapoint,
} from './datapoint-diff.ts';
import {
  type Findings,
  hasAdditions,
  hasRemovals,
  type Recorded,
  recordFindings,
  type Stored,
} from './record-check.ts';

/** The most pages per check. A follow-up check continues from the cursor. */
const maxPages = 50;
const outageRetrySeconds = 600;
/** The most external ids of invalid datapoints in a log entry. */
const maxLogged = 20;
/** Attaching a listing or page again enqueues a check. */
const detachedSeconds = 24 * 3600;

/** Stores the progress of checks, for listings or for brand pages. */
export interface ProgressStore {
  find(sql: Sql, id: number): Promise<DatapointFeed | undefined>;
  /** Returns false if another check was recorded in the meantime. */
  advance(sql: Sql, feed: DatapointFeed, next: NextProgress): Promise<boolean>;
  postpone(sql: Sql, id: number, seconds: number): Promise<void>;
}

/** `more`: pages remain to be read. `overtaken`: another check was recorded first, nothing was written. */
type CheckResult = 'done' | 'more' | 'overtaken' | 'postponed' | 'nothing-to-check';

/**
 * Reads new, changed and removed datapoints, then writes them with their events and the cursor in one transaction. No
 * request to the directory is made inside it.
 */
export async function checkDatapoints(
  context: JobContext,
  store: ProgressStore,
  { id, requested = false }: { id: number; requested?: boolean | undefined },
): Promise<CheckResult> {
  const { database, directories, config, log, signal } = context;
  const feed = await store.find(database.pool, id);
  if (!feed) return 'nothing-to-check';
  const source = toDirectorySource(feed);
  if (!source) return invalidateDetached(context, store, feed);
  if (!findDirectory(feed.directoryType)?.dataPointTypes.length) return 'nothing-to-check';
  const connector = directories.connector(feed.directoryType, { partnerId: feed.partner.id, requested });
  const limits = { maxPages, signal };
  const reading = await readDatapoints(connector, source, feed.progress.cursor, limits);
  const stored = await findStored(database.pool, feed);
  const removals = await findRemovals(connector, source, feed, stored, reading, signal);
  const fault = typeof reading.end === 'object' ? reading.end : removals.fault;
  logInvalid(context, feed, reading);
  if (fault && reading.fetched.length === 0) {
    await store.postpone(database.pool, id, retrySeconds(fault, config.datapointCheckSeconds));
    log.info({ event: 'datapoints.not-checked', source: feed.kind, id, directory: feed.directoryType, ...fault });
    return 'postponed';
  }
  const next = {
    cursor: reading.cursor,
    doubtedSince: removals.doubtedSince,
    dueSeconds: nextCheckSeconds(fault, removals.doubtedSince, config.datapointCheckSeconds),
  };
  const findings = { fetched: reading.fetched, inventory: removals.inventory, removed: removals.removed };
  if (!(await record(context, store, feed, next, { stored, findings, fault }))) return 'overtaken';
  return reading.end === 'paused' ? 'more' : 'done';
}

function logInvalid({ log }: JobContext, { kind, id, directoryType }: DatapointFeed, { invalidIds }: ReadResult): void {
  if (invalidIds.length === 0) return;
  const externalIds = invalidIds.slice(0, maxLogged);
  log.warn({
    event: 'datapoints.invalid',
    source: kind,
    id,
    directory: directoryType,
    count: invalidIds.length,
    externalIds,
  });
}

/**
 * Marks all datapoints INVALID: the directory listing or page may belong to another partner now. If a check lost the
 * link, another one must confirm it.
 */
async function invalidateDetached(
  context: JobContext,
  store: ProgressStore,
  feed: DatapointFeed,
): Promise<CheckResult> {
  const { database } = context;
  const { linkLoss, progress } = feed;
  const { stamp, doubtedSince, readAt } = progress;
  if (stamp === null) return 'nothing-to-check';
  const datapoints = await findValidDatapoints(database.pool, feed);
  const isDoubted =
    linkLoss === 'doubted' ||
    (linkLoss === 'confirmed' && judgeConfirmedLoss(datapoints.length, doubtedSince, readAt) === 'doubted');
  if (datapoints.length > 0 && isDoubted) return doubtLinkLoss(context, store, feed);
  const next = { cursor: null, doubtedSince: null, dueSeconds: detachedSeconds };
  const stored = { datapoints, replies: [] };
  const findings = { fetched: [], inventory: undefined, removed: stored };
  return (await record(context, store, feed, next, { stored, findings })) ? 'done' : 'overtaken';
}

/** Keeps the datapoints until another check of the listing has confirmed the loss. */
async function doubtLinkLoss(
  { database, log }: JobContext,
  store: ProgressStore,
  feed: DatapointFeed,
): Promise<CheckResult> {
  const { id, partner, directoryType: directory, progress } = feed;
  const doubtedSince = progress.doubtedSince ?? progress.readAt;
  const isRecorded = await database.transaction(async (transaction) => {
    const next = { cursor: null, doubtedSince, dueSeconds: doubtSeconds };
    if (!(await store.advance(transaction, feed, next))) return false;
    if (!progress.doubtedSince) await enqueueCheck(transaction, id, { submit: false, partnerId: partner.id });
    return true;
  });
  if (!isRecorded) return 'overtaken';
  log.info({ event: 'datapoints.link-loss-doubted', id, directory, doubtedSince });
  return 'done';
}

/** Returns false if another check was recorded first. */
async function record(
  { database, log }: JobContext,
  store: ProgressStore,
  feed: DatapointFeed,
  next: NextProgress,
  { stored, findings, fault }: { stored: Stored; findings: Findings; fault?: DirectoryFault | undefined },
): Promise<boolean> {
  const recorded = await database.transaction(async (transaction): Promise<Recorded | undefined> => {
    if (!(await store.advance(transaction, feed, next))) return undefined;
    return recordFindings(transaction, feed, stored, findings);
  });
  if (!recorded) return false;
  const { added, updated, invalid, deleted } = recorded;
  const line = {
    event: 'datapoints.checked',
    source: feed.kind,
    id: feed.id,
    directory: feed.directoryType,
    added: added.length,
    updated: updated.length,
    invalid: invalid.length,
    deleted: deleted.length,
    ...(next.doubtedSince && { doubtedSince: next.doubtedSince }),
    ...(fault && { fault }),
  };
  log[hasAdditions(recorded) || hasRemovals(recorded) || next.doubtedSince ? 'info' : 'debug'](line);
  return true;
}

/** Without a recorded check, nothing is stored. */
async function findStored(sql: Sql, feed: DatapointFeed): Promise<Stored> {
  if (feed.progress.stamp === null) return { datapoints: [], replies: [] };
  return { datapoints: await findStoredDatapoints(sql, feed), replies: await findStoredReplies(sql, feed) };
}

interface Removals {
  inventory: Inventory | undefined;
  removed: Missing;
  doubtedSince: Date | null;
  fault?: DirectoryFault;
}

const noRemovals: Removals = { inventory: undefined, removed: { datapoints: [], replies: [] }, doubtedSince: null };

async function findRemovals(
  connector: DirectoryConnector,
  source: DataPointSource,
  feed: DatapointFeed,
  stored: Stored,
  reading: ReadResult,
  signal: AbortSignal,
): Promise<Removals> {
  const { isRelinked, doubtedSince } = feed.progress;
  // The datapoints of the previous directory listing are expected to be missing.
  if (isRelinked) {
    return { ...noRemovals, removed: findMissing(inventoryOf(reading), stored.datapoints, stored.replies) };
  }
  // Removals are detected only after a complete read.
  return reading.end === 'ended'
    ? detectRemoved(connector, source, feed, stored, signal)
    : { ...noRemovals, doubtedSince };
}

async function detectRemoved(
  connector: DirectoryConnector,
  source: DataPointSource,
  feed: DatapointFeed,
  stored: Stored,
  signal: AbortSignal,
): Promise<Removals> {
  const current = await connector.readDataPointIds(source);
  if (isFault(current)) return { ...noRemovals, doubtedSince: feed.progress.doubtedSince, fault: current };
  const inventory = new Map(current.map(({ externalId, replyIds }) => [externalId, new Set(replyIds)]));
  const missing = findMissing(inventory, stored.datapoints, stored.replies);
  if (!hasSuspiciousLoss(stored, missing)) return { inventory, removed: missing, doubtedSince: null };

  const { doubtedSince, readAt: now } = feed.progress;
  const doubted = { ...noRemovals, doubtedSince: doubtedSince ?? now };
  const again = await rebuildInventory(connector, source, signal);
  if (!again) return doubted;
  const missingAgain = findMissing(again, stored.datapoints, stored.replies);
  const confirmed = {
    datapoints: missing.datapoints.filter((one) => missingAgain.datapoints.includes(one)),
    replies: missing.replies.filter((one) => missingAgain.replies.includes(one)),
  };
  const isAccepted = [confirmed.datapoints, confirmed.replies].every(
    (gone) => judgeConfirmedLoss(gone.length, doubtedSince, now) === 'accepted',
  );
  return isAccepted ? { inventory: again, removed: confirmed, doubtedSince: null } : doubted;
}

function hasSuspiciousLoss(stored: Stored, missing: Missing): boolean {
  const valid = stored.datapoints.filter(({ status }) => status === 'VALID').length;
  const published = stored.replies.filter(({ status }) => status === 'PUBLISHED').length;
  return needsConfirmation(valid, missing.datapoints.length) || needsConfirmation(published, missing.replies.length);
}

function nextCheckSeconds(
  fault: DirectoryFault | undefined,
  doubtedSince: Date | null,
  intervalSeconds: number,
): number {
  if (fault) return retrySeconds(fault, intervalSeconds);
  return doubtedSince ? doubtSeconds : withJitter(intervalSeconds, Math.random());
}

/** ±10 %, so that checks which started together drift apart. */
const withJitter = (seconds: number, random: number) => seconds * (0.9 + random * 0.2);

function retrySeconds(fault: DirectoryFault, intervalSeconds: number): number {
  if (fault.fault === 'refused') return intervalSeconds;
  return fault.fault === 'limited' ? fault.retryAfterSeconds : outageRetrySeconds;
}

interface ReadResult {
  fetched: FetchedDatapoint[];
  /** External ids of datapoints that cannot be stored. */
  invalidIds: string[];
  /** Everything before this cursor has been read. */
  cursor: string | null;
  /** `ended`: everything was read. `paused`: the page limit was reached. Otherwise the fault that stopped the read. */
  end: 'ended' | 'paused' | DirectoryFault;
}

/**
 * Skips invalid datapoints. Stops at a page without a valid one, which the next check reads again, and at a cursor that
 * repeats.
 */
async function readDatapoints(
  connector: Pick<DirectoryConnector, 'readDataPoints'>,
  source: DataPointSource,
  from: string | null,
  { maxPages, signal }: { maxPages: number; signal: AbortSignal },
): Promise<ReadResult> {
  const result: ReadResult = { fetched: [], invalidIds: [], cursor: from, end: 'paused' };
  const seen = new Set<string | null>([from]);
  for (let page = 0; page < maxPages && !signal.aborted; page++) {
    const response = await connector.readDataPoints(source, result.cursor ?? undefined);
    if (isFault(response)) return { ...result, end: response };
    const { fetched, invalidIds } = parsePage(response);
    result.fetched.push(...fetched);
    result.invalidIds.push(...invalidIds);
    if (fetched.length === 0 && invalidIds.length > 0) {
      return { ...result, end: response.more ? invalidResponse('page without a valid datapoint') : 'ended' };
    }
    if (seen.has(response.cursor)) {
      return { ...result, end: response.more ? invalidResponse('pagination cursor repeats') : 'ended' };
    }
    seen.add(response.cursor);
    result.cursor = response.cursor;
    if (!response.more) return { ...result, end: 'ended' };
  }
  return result;
}

function parsePage({ dataPoints, invalidIds }: DataPointPage): Pick<ReadResult, 'fetched' | 'invalidIds'> {
  const parsed = dataPoints.map((source) => ({ source, fetched: parseDatapoint(source) }));
  const rejected = parsed.filter(({ fetched }) => !fetched).map(({ source }) => source.externalId);
  return { fetched: parsed.flatMap(({ fetched }) => fetched ?? []), invalidIds: [...invalidIds, ...rejected] };
}

const invalidResponse = (reason: string): DirectoryFault => ({
  fault: 'unavailable',
  detail: `Invalid response: ${reason}.`,
});

/** Builds the inventory by reading all datapoints. Returns undefined if that fails. */
async function rebuildInventory(
  connector: Pick<DirectoryConnector, 'read' | 'readDataPoints'>,
  source: DataPointSource,
  signal: AbortSignal,
): Promise<Inventory | undefined> {
  if ('listing' in source) {
    const page = await connector.read(source.listing);
    if (page === undefined || isFault(page)) return undefined;
  }
  const reading = await readDatapoints(connector, source, null, { maxPages: 1000, signal });
  return reading.end === 'ended' ? inventoryOf(reading) : undefined;
}

/** Invalid datapoints exist on the directory, with unknown replies. */
const inventoryOf = ({ fetched, invalidIds }: ReadResult): Inventory =>
  new Map([
    ...invalidIds.map((id) => [id, undefined] as const),
    ...fetched.map(
      ({ externalId, replies }) => [externalId, new Set(replies.map((reply) => reply.externalId))] as const,
    ),
  ]);
