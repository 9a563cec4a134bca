import { hash } from 'node:crypto';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob, enqueueJobs, type JobContext, type JobImplementation, type JobOrigin } from '../../../jobs/job.ts';
import { type DirectoryFault, directoryName, isFault } from '../../directories/index.ts';
import {
  advanceCursor,
  checkListingDatapoints,
  claimDueDatapointChecks,
  findListingFeed,
  postponeDatapointCheck,
} from '../../listings/index.ts';
import { checkPageDatapoints } from '../brand-pages/brand-page-jobs.ts';
import {
  advancePageCursor,
  claimDuePageChecks,
  findPageFeed,
  postponePageCheck,
} from '../brand-pages/brand-page-store.ts';
import { checkDatapoints, type ProgressStore } from './check-datapoints.ts';
import { lockDatapoints, summarizeThreads } from './check-store.ts';
import { type Datapoint, maxReplies, refusalOfReply, replyLimitReached } from './datapoint.ts';
import { doubtSeconds } from './datapoint-diff.ts';
import {
  checkStateOf,
  claimReply,
  confirmationSeconds,
  countPublishedReplies,
  type Dispatch,
  publishReply,
  sendingUntil,
  settleUnsentReply,
} from './reply-store.ts';

type ReplyPayload = { replyId: number } & JobOrigin;

export const sendReplyJob = defineJob<ReplyPayload>('datapoints.send-reply', {
  key: ({ replyId }) => `send-reply-${replyId}`,
  requested: true,
});

/** Longer than the connector's time limit with its retries. */
const leaseSeconds = 120;
const maxAttempts = 8;
const firstDelaySeconds = 30;

/** 30 s, 1 min, 2 min … 32 min: with 8 attempts, the last one is about an hour after the first. */
export const pauseAfter = (tries: number) => firstDelaySeconds * 2 ** (tries - 1);

type Retry = { status: 'SCHEDULED'; afterSeconds: number; tries: number } | { status: 'FAILED'; tries: number };

/** A rate limit does not count as an attempt, because nothing was sent. A refusal is a response. */
export function judgeFault(fault: DirectoryFault, tries: number): Retry {
  if (fault.fault === 'limited') return { status: 'SCHEDULED', afterSeconds: fault.retryAfterSeconds, tries };
  if (fault.fault === 'refused') return { status: 'FAILED', tries };
  if (tries + 1 >= maxAttempts) return { status: 'FAILED', tries: tries + 1 };
  return { status: 'SCHEDULED', afterSeconds: pauseAfter(tries + 1), tries: tries + 1 };
}

/** All attempts carry the same idempotency key, so that the directory publishes the reply once. */
async function sendReply({ database, directories, log }: JobContext, payload: ReplyPayload): Promise<void> {
  const { replyId } = payload;
  const dispatch = await claimReply(database.pool, replyId, leaseSeconds);
  if (!dispatch) {
    const runAt = await sendingUntil(database.pool, replyId);
    if (runAt) await sendReplyJob.enqueue(database.pool, payload, { runAt });
    return;
  }
  const { tries, datapointId, datapointStatus, datapointType } = dispatch;
  const datapoint = { ...dispatch, id: datapointId, status: datapointStatus, type: datapointType };
  const state = await checkStateOf(database.pool, datapoint);
  const message = refusalOfReply(datapoint, state) ?? (await refusalByOtherReplies(database.pool, datapoint, tries));
  if (state.isLinkLost) {
    const reason =
      message ??
      `${directoryName(dispatch.directoryType)} does not show the listing at the moment. The reply is sent later.`;
    await settleUnsentReply(database.pool, replyId, { status: 'SCHEDULED', message: reason, tries });
    return sendReplyJob.enqueue(database.pool, payload, { delaySeconds: doubtSeconds });
  }
  if (message) return settleUnsentReply(database.pool, replyId, { status: 'FAILED', message, tries });
  const result = await directories
    .connector(dispatch.directoryType, { partnerId: dispatch.partnerId, requested: true })
    .reply(dispatch.datapointExternalId, dispatch.text, { key: idempotencyKey(dispatch) });
  await database.transaction(async (transaction) => {
    await lockDatapoints(transaction, [dispatch.datapointId]);
    if (isFault(result)) return settleFault(transaction, dispatch, result);
    await publishReply(transaction, dispatch, result.externalId);
    await summarizeThreads(transaction, [dispatch.datapointId]);
  });
  log.info({
    event: 'reply.sent',
    replyId,
    directory: dispatch.directoryType,
    outcome: isFault(result) ? result.fault : 'published',
  });
}

/** The owner may have replied on the directory since the reply was scheduled. */
async function refusalByOtherReplies(
  sql: Sql,
  datapoint: Pick<Datapoint, 'id' | 'type'>,
  tries: number,
): Promise<string | undefined> {
  if ((await countPublishedReplies(sql, datapoint.id)) < maxReplies(datapoint.type)) return undefined;
  const solution =
    tries > 0
      ? 'An earlier attempt may have published this reply. Compare it with the published reply, then withdraw it.'
      : 'The reply was not sent. Withdraw it.';
  return `${replyLimitReached(datapoint)} ${solution}`;
}

/** Includes the text: a reply that was changed after a failure is a new reply. */
const idempotencyKey = ({ id, text }: Dispatch) => `reply-${id}-${hash('sha256', text, 'base64url').slice(0, 16)}`;

async function settleFault(transaction: Transaction, dispatch: Dispatch, fault: DirectoryFault): Promise<void> {
  const { id: replyId, partnerId, tries } = dispatch;
  const retry = judgeFault(fault, tries);
  const message = fault.fault === 'refused' ? fault.messages.join(' ') : fault.detail;
  await settleUnsentReply(transaction, replyId, { ...retry, message });
  if (retry.status === 'SCHEDULED') {
    await sendReplyJob.enqueue(transaction, { replyId, partnerId }, { delaySeconds: retry.afterSeconds });
  } else if (retry.tries > 0) {
    await enqueueConfirmation(transaction, dispatch);
  }
}

/** Finds out whether the directory has published a reply. */
export async function enqueueConfirmation(
  transaction: Transaction,
  { partnerId, listingId, pageId }: Pick<Dispatch, 'partnerId' | 'listingId' | 'pageId'>,
): Promise<void> {
  const when = { delaySeconds: confirmationSeconds };
  const confirm = { confirmsReply: true };
  if (listingId) await checkListingDatapoints.enqueue(transaction, { listingId, partnerId, ...confirm }, when);
  if (pageId) await checkPageDatapoints.enqueue(transaction, { pageId, ...confirm }, when);
}

/** The most checks of each kind that are enqueued per minute. */
const batch = 1000;

const listingProgress: ProgressStore = {
  find: findListingFeed,
  advance: advanceCursor,
  postpone: postponeDatapointCheck,
};
const pageProgress: ProgressStore = { find: findPageFeed, advance: advancePageCursor, postpone: postponePageCheck };

export const datapointJobs: readonly JobImplementation[] = [
  checkListingDatapoints.implement(async (check, context) => {
    const { listingId, requested } = check;
    const result = await checkDatapoints(context, listingProgress, { id: listingId, requested });
    // The check that was recorded first may have read the directory before this one was requested.
    const isRepeated = result === 'more' || (result === 'overtaken' && requested);
    if (isRepeated) await checkListingDatapoints.enqueue(context.database.pool, check);
  }),
  checkPageDatapoints.implement(async (check, context) => {
    const result = await checkDatapoints(context, pageProgress, { id: check.pageId });
    const isRepeated = result === 'more' || result === 'overtaken';
    if (isRepeated) await checkPageDatapoints.enqueue(context.database.pool, check);
  }),
  defineJob('datapoints.schedule', { schedule: '* * * * *' }).implement(async (_, { database, config }) => {
    // Claimed for one interval. The check itself sets the next due time.
    const nextSeconds = config.datapointCheckSeconds;
    await database.transaction(async (transaction) => {
      const listingIds = await claimDueDatapointChecks(transaction, batch, nextSeconds);
      const checks = listingIds.map((listingId) => checkListingDatapoints.with({ listingId }));
      const pageIds = await claimDuePageChecks(transaction, batch, nextSeconds);
      await enqueueJobs(transaction, [...checks, ...pageIds.map((pageId) => checkPageDatapoints.with({ pageId }))]);
    });
  }),
  sendReplyJob.implement((payload, context) => sendReply(context, payload)),
];
