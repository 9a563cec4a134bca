import type { Sql } from '../../../database/connection.ts';
import { databaseNow } from '../../../database/database-clock.ts';
import type { JobContext } from '../../../jobs/job.ts';
import { type DirectoryConnector, type DirectoryFault, findDirectory, isFault } from '../../directories/index.ts';
import { type NextProgress, onDirectory, type Place } from '../../listings/index.ts';
import type { KnownDatapoint, KnownReply } from './findings.ts';
import { isFind, isLoss, type Recorded } from './findings-events.ts';
import { knownDatapoints, knownReplies } from './findings-store.ts';
import { readDatapoints, readInventory, readInventoryAgain } from './read-datapoints.ts';
import { recordFindings } from './record-findings.ts';
import { doubtSeconds, type Inventory, isDoubtful, judgeConfirmed, type Missing, missingFrom } from './vanished.ts';

/** So much is read and written in one check; a new one goes on from there. */
const mostPages = 50;
const pauseAfterOutageSeconds = 600;

/** How the progress of a kind of place is kept. */
export interface ProgressKeeper {
  find(sql: Sql, id: number): Promise<Place | undefined>;
  /** False when another check was written down since. */
  advance(sql: Sql, place: Place, next: NextProgress): Promise<boolean>;
  postpone(sql: Sql, id: number, seconds: number): Promise<void>;
}

/** `more`: there is more to read at once. `overtaken`: another check was faster, nothing was written. */
export type CheckResult = 'done' | 'more' | 'overtaken' | 'postponed' | 'nothing-to-check';

/**
 * Looks at a listing or brand page: reads what is new or changed since the cursor, and what is still there; then writes
 * all of it, the events and the cursor in one transaction. The directory is never asked inside it. What could not be
 * read is read by the next check, because the cursor moves only with what was written.
 */
export async function checkDatapoints(
  { database, directories, config, log, signal }: JobContext,
  keeper: ProgressKeeper,
  id: number,
): Promise<CheckResult> {
  const place = await keeper.find(database.pool, id);
  if (!place || !findDirectory(place.directoryType)?.dataPointTypes.length) return 'nothing-to-check';
  const connector = directories.connector(place.directoryType);
  const reading = await readDatapoints(connector, onDirectory(place), place.progress.cursor, { mostPages, signal });
  const known = {
    datapoints: await knownDatapoints(database.pool, place),
    replies: await knownReplies(database.pool, place),
  };
  // Of what is only partly read it is too early to say what is gone.
  const now = await databaseNow(database.pool);
  const look = reading.end === 'ended' ? await lookForVanished(connector, place, known, now) : nothingSeen;
  const fault = typeof reading.end === 'object' ? reading.end : look.fault;
  if (fault && reading.shown.length === 0) {
    await keeper.postpone(database.pool, id, afterFault(fault, config.datapointCheckSeconds));
    log.info({ event: 'datapoints.not-checked', place: place.kind, id, directory: place.directoryType, ...fault });
    return 'postponed';
  }
  const next = {
    cursor: reading.cursor,
    doubtedSince: look.doubtedSince,
    dueSeconds: dueAfter({
      fault,
      isDoubted: look.doubtedSince !== null,
      intervalSeconds: config.datapointCheckSeconds,
    }),
  };
  const recorded = await database.transaction(async (transaction): Promise<Recorded | undefined> => {
    if (!(await keeper.advance(transaction, place, next))) return undefined;
    return recordFindings(transaction, place, known.datapoints, {
      shown: reading.shown,
      inventory: look.inventory,
      vanished: look.vanished,
    });
  });
  if (!recorded) return 'overtaken';
  const { added, updated, invalid, deleted } = recorded;
  const line = {
    event: 'datapoints.checked',
    place: place.kind,
    id,
    directory: place.directoryType,
    added: added.length,
    updated: updated.length,
    invalid: invalid.length,
    deleted: deleted.length,
    ...(look.doubtedSince && { doubtedSince: look.doubtedSince }),
    ...(fault && { fault }),
  };
  log[isFind(recorded) || isLoss(recorded) || look.doubtedSince ? 'info' : 'debug'](line);
  return reading.end === 'paused' ? 'more' : 'done';
}

interface Look {
  inventory: Inventory | undefined;
  vanished: Missing;
  doubtedSince: Date | null;
  fault?: DirectoryFault;
}

const nothingSeen: Look = { inventory: undefined, vanished: { datapoints: [], replies: [] }, doubtedSince: null };

async function lookForVanished(
  connector: DirectoryConnector,
  place: Place,
  known: { datapoints: readonly KnownDatapoint[]; replies: readonly KnownReply[] },
  now: Date,
): Promise<Look> {
  const inventory = await readInventory(connector, onDirectory(place));
  if (isFault(inventory)) return { ...nothingSeen, doubtedSince: place.progress.doubtedSince, fault: inventory };
  const missing = missingFrom(inventory, known.datapoints, known.replies);
  if (!looksDoubtful(known, missing)) return { inventory, vanished: missing, doubtedSince: null };

  const { doubtedSince } = place.progress;
  const doubted = { ...nothingSeen, doubtedSince: doubtedSince ?? now };
  const again = await readInventoryAgain(connector, onDirectory(place));
  if (!again) return doubted;
  const missingAgain = missingFrom(again, known.datapoints, known.replies);
  const confirmed = {
    datapoints: missing.datapoints.filter((one) => missingAgain.datapoints.includes(one)),
    replies: missing.replies.filter((one) => missingAgain.replies.includes(one)),
  };
  const isBelieved = [confirmed.datapoints, confirmed.replies].every(
    (gone) => judgeConfirmed(gone.length, doubtedSince, now) === 'believed',
  );
  return isBelieved ? { inventory: again, vanished: confirmed, doubtedSince: null } : doubted;
}

function looksDoubtful(
  known: { datapoints: readonly KnownDatapoint[]; replies: readonly KnownReply[] },
  missing: Missing,
): boolean {
  const valid = known.datapoints.filter(({ status }) => status === 'VALID').length;
  const published = known.replies.filter(({ status }) => status === 'PUBLISHED').length;
  return isDoubtful(valid, missing.datapoints.length) || isDoubtful(published, missing.replies.length);
}

function dueAfter(check: { fault: DirectoryFault | undefined; isDoubted: boolean; intervalSeconds: number }): number {
  if (check.fault) return afterFault(check.fault, check.intervalSeconds);
  return check.isDoubted ? doubtSeconds : spread(check.intervalSeconds, Math.random());
}

/** Within a tenth of the interval around it, so that what was found together is not looked at together for ever. */
const spread = (seconds: number, dice: number) => seconds * (0.9 + dice * 0.2);

function afterFault(fault: DirectoryFault, intervalSeconds: number): number {
  if (fault.fault === 'refused') return intervalSeconds;
  return fault.fault === 'limited' ? fault.retryAfterSeconds : pauseAfterOutageSeconds;
}
