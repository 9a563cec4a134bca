import { databaseNow } from '../../../database/database-clock.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { JobContext } from '../../../jobs/job.ts';
import { type DirectoryFault, isFault } from '../../directories/index.ts';
import { findListingById } from '../../listings/index.ts';
import { findPostPlaces } from './post-place-store.ts';
import { directoryPost, obstacleOf, waitAfter } from './publication.ts';
import {
  countPublications,
  type LeasedPublication,
  leasePublications,
  planPublications,
  postponePublication,
  settleFailed,
  settlePublished,
  settleStale,
  settleWithdrawn,
  withdrawPublications,
} from './publication-store.ts';
import {
  lockPostUnderWay,
  markPlanned,
  type PostUnderWay,
  readPostUnderWay,
  setPostStatus,
} from './social-post-store.ts';
import { postJob } from './write-post.ts';

const longestTurnMs = 30_000;
/** Under way with directories at once; their own limits hold besides. */
const atOnce = 16;

/**
 * Brings a post to where it should be by now: published on its date, changed where it is shown, withdrawn at its end.
 * No transaction is open while a directory is spoken with. May be done by several processes at once.
 */
export async function workOnPost(postId: number, context: JobContext): Promise<void> {
  const { database, log, signal } = context;
  const until = Date.now() + longestTurnMs;
  await database.transaction(async (transaction) => plan(transaction, postId, await databaseNow(transaction)));
  let calls = 0;
  while (!signal.aborted && Date.now() < until) {
    const leased = await leasePublications(database.pool, postId, atOnce);
    const post = leased.length > 0 ? await readPostUnderWay(database.pool, postId) : undefined;
    if (!post) break;
    calls += leased.length;
    await Promise.all(leased.map((publication) => carryOut(context, post, publication)));
  }
  const status = await database.transaction(async (transaction) =>
    judge(transaction, postId, await databaseNow(transaction)),
  );
  log.info({ event: 'social-post.worked-on', postId, calls, status });
}

/** What the time asks for: the end, or publications that fit the post as it is now. */
async function plan(transaction: Transaction, postId: number, now: Date): Promise<void> {
  const post = await lockPostUnderWay(transaction, postId);
  if (!post || (post.status !== 'SCHEDULED' && post.status !== 'ACTIVE')) return;
  if (post.dateEnd && post.dateEnd <= now) {
    await withdrawPublications(transaction, postId);
    await setPostStatus(transaction, postId, 'ENDED');
    return;
  }
  if (post.plannedRevision >= post.revision || (post.status === 'SCHEDULED' && post.publicationDate > now)) return;
  const places = await findPostPlaces(transaction, post.partnerId, post, post.reach);
  await planPublications(transaction, postId, post.revision, places);
  await markPlanned(transaction, postId, post.revision);
}

/** ACTIVE with the first publication, IMPOSSIBLE when none can be; enqueues the job for the next publication. */
async function judge(transaction: Transaction, postId: number, now: Date): Promise<string | undefined> {
  const post = await lockPostUnderWay(transaction, postId);
  if (!post) return undefined;
  const { published, pending, nextAt } = await countPublications(transaction, postId);
  let { status } = post;
  const isPlanned = post.plannedRevision === post.revision;
  if (status === 'SCHEDULED' && isPlanned && (published > 0 || pending === 0)) {
    status = published > 0 ? 'ACTIVE' : 'IMPOSSIBLE';
    await setPostStatus(transaction, postId, status);
  }
  const isLive = status === 'SCHEDULED' || status === 'ACTIVE';
  const isToBePlanned = isLive && !isPlanned;
  const moments = [nextAt, isLive ? post.dateEnd : null, isToBePlanned ? post.publicationDate : null];
  const [next] = moments.filter((moment) => moment !== null).sort((one, other) => one.getTime() - other.getTime());
  if (next) await postJob.enqueue(transaction, { postId }, next > now ? { runAt: next } : {});
  return status;
}

async function carryOut(context: JobContext, post: PostUnderWay, publication: LeasedPublication): Promise<void> {
  const { pool } = context.database;
  const { status, externalId, staleExternalId, directoryType } = publication;
  if (status === 'PENDING') return publish(context, post, publication);
  const connector = context.directories.connector(directoryType);
  const isWithdrawal = status === 'WITHDRAWING' && externalId !== null;
  const postId = staleExternalId ?? (isWithdrawal ? externalId : null);
  if (postId === null) return settleWithdrawn(pool, publication);
  const answer = await connector.withdrawPost(postId);
  if (isFault(answer)) return settleFault(context, publication, answer);
  return staleExternalId === null ? settleWithdrawn(pool, publication) : settleStale(pool, publication);
}

async function publish(context: JobContext, post: PostUnderWay, publication: LeasedPublication): Promise<void> {
  const { pool } = context.database;
  const { directoryType, listingId, locationId } = publication;
  const listing = listingId === null ? undefined : await findListingById(pool, listingId);
  const pageId = listing?.externalId ?? null;
  const isConnected = listing !== undefined && listing.connectStatus !== 'NOT_CONNECTED';
  const obstacle = obstacleOf({ locationId, businessId: 0, directoryType, listingId, pageId, isConnected });
  if (obstacle || pageId === null) {
    return settleFailed(pool, publication, obstacle ?? { errorCode: null, message: 'There is no page.' });
  }
  const { revision } = post;
  const answer = await context.directories
    .connector(directoryType)
    // The same key for the same state of the post: a process that dies before it can write the answer down asks again.
    .publishPost(pageId, directoryPost(post, directoryType), { key: `social-post-${publication.id}-${revision}` });
  if (isFault(answer)) return settleFault(context, publication, answer);
  return settlePublished(pool, publication, { externalId: answer.externalId, url: answer.url ?? null, revision });
}

async function settleFault(context: JobContext, publication: LeasedPublication, fault: DirectoryFault): Promise<void> {
  const { pool } = context.database;
  if (fault.fault === 'refused') {
    return settleFailed(pool, publication, { errorCode: null, message: fault.messages.join(' ') });
  }
  const isLimited = fault.fault === 'limited';
  const seconds = isLimited ? fault.retryAfterSeconds : waitAfter(publication.attempts + 1);
  if (seconds !== undefined) {
    return postponePublication(pool, publication, { seconds, message: fault.detail, countsAsTry: !isLimited });
  }
  return settleFailed(pool, publication, {
    errorCode: null,
    message: `${publication.directoryType} could not be reached: ${fault.detail}`,
  });
}
