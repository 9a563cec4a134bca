import { databaseNow } from '../../../database/database-clock.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { type DirectoryFault, directoryName, isFault } from '../../directories/index.ts';
import { awaitsRecheck, findListingById } from '../../listings/index.ts';
import {
  countPublications,
  findPublicationTargets,
  type LeasedPublication,
  leasePublications,
  planPublications,
  postponePublication,
  releasePublication,
  settleCleared,
  settleFailed,
  settlePublished,
  settleWithdrawn,
  startAttempt,
  withdrawPublications,
} from './publication-store.ts';
import { directoryPost, obstacleOf, retryDelaySeconds } from './social-post.ts';
import {
  listDuePosts,
  lockPublishablePost,
  markPlanned,
  type PublishablePost,
  readPublishablePost,
  setPostStatus,
} from './social-post-store.ts';
import { postJob } from './write-post.ts';

const maxRunMs = 30_000;
/** Concurrent requests to directories, in addition to their own limits. */
const concurrency = 16;
/** A check confirms after two minutes that a listing is lost. */
const recheckSeconds = 180;

/**
 * Publishes, updates or withdraws a post. No transaction is open during requests to directories. Safe to run in several
 * processes.
 */
async function processPost(postId: number, context: JobContext): Promise<void> {
  const { database, log, signal } = context;
  const until = Date.now() + maxRunMs;
  await database.transaction(async (transaction) => plan(transaction, postId, await databaseNow(transaction)));
  let calls = 0;
  while (!signal.aborted && Date.now() < until) {
    const leased = await leasePublications(database.pool, postId, concurrency);
    const post = leased.length > 0 ? await readPublishablePost(database.pool, postId) : undefined;
    if (!post) break;
    calls += leased.length;
    await Promise.all(leased.map((publication) => processPublication(context, post, publication)));
  }
  const status = await database.transaction(async (transaction) =>
    updateStatus(transaction, postId, await databaseNow(transaction)),
  );
  log.info({ event: 'social-post.processed', postId, calls, status });
}

/** Ends the post, or plans the publications of its current revision. */
async function plan(transaction: Transaction, postId: number, now: Date): Promise<void> {
  const post = await lockPublishablePost(transaction, postId);
  if (!post || (post.status !== 'SCHEDULED' && post.status !== 'ACTIVE')) return;
  if (post.dateEnd && post.dateEnd <= now) {
    await withdrawPublications(transaction, postId);
    await setPostStatus(transaction, postId, 'ENDED');
    return;
  }
  if (post.plannedRevision >= post.revision || (post.status === 'SCHEDULED' && post.publicationDate > now)) return;
  const targets = await findPublicationTargets(transaction, post.partnerId, post, post.reach);
  await planPublications(transaction, postId, post.revision, targets);
  await markPlanned(transaction, postId, post.revision);
}

/** ACTIVE after the first publication, IMPOSSIBLE if none is possible. Enqueues the next run. */
async function updateStatus(transaction: Transaction, postId: number, now: Date): Promise<string | undefined> {
  const post = await lockPublishablePost(transaction, postId);
  if (!post) return undefined;
  const { published, pending, nextAt } = await countPublications(transaction, postId);
  let { status } = post;
  const isPlanned = post.plannedRevision === post.revision;
  if (status === 'SCHEDULED' && isPlanned && (published > 0 || pending === 0)) {
    status = published > 0 ? 'ACTIVE' : 'IMPOSSIBLE';
    await setPostStatus(transaction, postId, status);
  }
  const isLive = status === 'SCHEDULED' || status === 'ACTIVE';
  const needsPlanning = isLive && !isPlanned;
  const moments = [nextAt, isLive ? post.dateEnd : null, needsPlanning ? post.publicationDate : null];
  const [next] = moments.filter((moment) => moment !== null).sort((one, other) => one.getTime() - other.getTime());
  const { partnerId } = post;
  if (next) await postJob.enqueue(transaction, { postId, partnerId }, next > now ? { runAt: next } : {});
  return status;
}

async function processPublication(
  context: JobContext,
  post: PublishablePost,
  publication: LeasedPublication,
): Promise<void> {
  const { pool } = context.database;
  const { status, externalId, staleExternalId, attemptedRevision } = publication;
  // The post of an earlier revision first, because publishing replaces its id.
  if (staleExternalId === null) {
    const isRepeated = status === 'PENDING' && attemptedRevision === post.revision;
    if (attemptedRevision !== null && !isRepeated) return resolveAttempt(context, post, publication, attemptedRevision);
    if (status === 'PENDING') return publish(context, post, publication);
  }
  const connector = connectorFor(context, post, publication);
  const isWithdrawal = status === 'WITHDRAWING' && externalId !== null;
  const postId = staleExternalId ?? (isWithdrawal ? externalId : null);
  if (postId === null) return settleWithdrawn(pool, publication);
  const result = await connector.withdrawPost(postId);
  if (isFault(result)) return settleFault(context, publication, result);
  return staleExternalId === null
    ? settleWithdrawn(pool, publication)
    : settleCleared(pool, publication, 'staleExternalId');
}

const connectorFor = (context: JobContext, { partnerId }: PublishablePost, { directoryType }: LeasedPublication) =>
  context.directories.connector(directoryType, { partnerId, requested: true });

/** One key per revision: a crash before the result is stored does not publish twice. */
const keyOf = ({ id }: LeasedPublication, revision: number) => ({ key: `social-post-${id}-${revision}` });

/** Before another revision is published, or the post is withdrawn: a call whose result was lost may have published it. */
async function resolveAttempt(
  context: JobContext,
  post: PublishablePost,
  publication: LeasedPublication,
  revision: number,
): Promise<void> {
  const { pool } = context.database;
  const result = await connectorFor(context, post, publication).findPost(keyOf(publication, revision));
  const isUnpublished = result === undefined || (isFault(result) && result.fault === 'refused');
  if (isUnpublished) return settleCleared(pool, publication, 'attemptedRevision');
  if (isFault(result)) return settleFault(context, publication, result);
  return settlePublished(pool, publication, { ...result, revision });
}

async function publish(context: JobContext, post: PublishablePost, publication: LeasedPublication): Promise<void> {
  const { pool } = context.database;
  const { directoryType, listingId } = publication;
  const listing = listingId === null ? undefined : await findListingById(pool, listingId);
  const pageId = listing?.externalId ?? null;
  const isConnected = listing !== undefined && listing.connectStatus !== 'NOT_CONNECTED';
  const obstacle = obstacleOf({ directoryType, pageId, isConnected });
  if (obstacle || !listing || pageId === null) {
    return settleFailed(pool, publication, obstacle ?? { errorCode: null, message: 'The location has no listing.' });
  }
  if (awaitsRecheck(listing)) {
    const message = `${directoryName(directoryType)} does not show the listing at the moment. The post is published later.`;
    return postponePublication(pool, publication, { seconds: recheckSeconds, message, countsAsAttempt: false });
  }
  const { revision } = post;
  if (!(await startAttempt(pool, publication, revision))) return releasePublication(pool, publication);
  const content = directoryPost(post, directoryType);
  const connector = connectorFor(context, post, publication);
  const result = await connector.publishPost(pageId, content, keyOf(publication, revision));
  if (isFault(result)) return settleFault(context, publication, result);
  return settlePublished(pool, publication, { ...result, revision });
}

async function settleFault(context: JobContext, publication: LeasedPublication, fault: DirectoryFault): Promise<void> {
  const { pool } = context.database;
  if (fault.fault === 'refused') {
    const message = fault.messages.join(' ');
    return settleFailed(pool, publication, { errorCode: null, message, attemptedRevision: null });
  }
  const isLimited = fault.fault === 'limited';
  const seconds = isLimited ? fault.retryAfterSeconds : retryDelaySeconds(publication);
  if (seconds !== undefined) {
    return postponePublication(pool, publication, { seconds, message: fault.detail, countsAsAttempt: !isLimited });
  }
  return settleFailed(pool, publication, {
    errorCode: null,
    message: `${directoryName(publication.directoryType)} could not be reached: ${fault.detail}`,
  });
}

export const socialPostJobs: readonly JobImplementation[] = [
  postJob.implement(({ postId }, context) => processPost(postId, context)),
  // Safety net: enqueues due posts whose own job is missing.
  defineJob('social-posts.due', { schedule: '* * * * *' }).implement(async (_, { database }) => {
    await postJob.enqueueMissing(database.pool, await listDuePosts(database.pool));
  }),
];
