import { hash } from 'node:crypto';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob, type JobContext } from '../../../jobs/job.ts';
import { type DirectoryFault, isFault } from '../../directories/index.ts';
import { lockDatapoints, summarizeThreads } from './findings-store.ts';
import { type Dispatch, publishReply, sendingUntil, settleUnsent, takeReply } from './reply-store.ts';

export const sendReplyJob = defineJob<{ replyId: number }>('datapoints.send-reply', {
  key: ({ replyId }) => `send-reply-${replyId}`,
  requested: true,
});

/** Longer than a directory may take to answer, retries of the connector included. */
const leaseSeconds = 120;
const mostTries = 8;
const firstPauseSeconds = 30;

/** After 30 s, 1 min, 2 min … an hour at most. */
export const pauseAfter = (tries: number) => Math.min(firstPauseSeconds * 2 ** (tries - 1), 3600);

type Verdict = { status: 'SCHEDULED'; afterSeconds: number; tries: number } | { status: 'FAILED'; tries: number };

/** What comes of a reply that the directory did not take. A limit costs no try: nothing was sent. */
export function judgeUnsent(fault: DirectoryFault, tries: number): Verdict {
  if (fault.fault === 'limited') return { status: 'SCHEDULED', afterSeconds: fault.retryAfterSeconds, tries };
  if (fault.fault === 'refused' || tries + 1 >= mostTries) return { status: 'FAILED', tries: tries + 1 };
  return { status: 'SCHEDULED', afterSeconds: pauseAfter(tries + 1), tries: tries + 1 };
}

/**
 * Sends an answer to its directory. Every sending carries the same key, so that a directory which took it without our
 * hearing of it does not take it twice.
 */
export async function sendReply({ database, directories, log }: JobContext, replyId: number): Promise<void> {
  const dispatch = await takeReply(database.pool, replyId, leaseSeconds);
  if (!dispatch) {
    const runAt = await sendingUntil(database.pool, replyId);
    if (runAt) await sendReplyJob.enqueue(database.pool, { replyId }, { runAt });
    return;
  }
  const answer = await directories
    .connector(dispatch.directoryType)
    .reply(dispatch.datapointExternalId, dispatch.text, { key: onceKey(dispatch) });
  await database.transaction(async (transaction) => {
    await lockDatapoints(transaction, [dispatch.datapointId]);
    if (isFault(answer)) return putOff(transaction, replyId, answer, dispatch.tries);
    await publishReply(transaction, dispatch, answer.externalId);
    await summarizeThreads(transaction, [dispatch.datapointId]);
  });
  log.info({
    event: 'reply.sent',
    replyId,
    directory: dispatch.directoryType,
    outcome: isFault(answer) ? answer.fault : 'published',
  });
}

/** Another text is another answer: one that was changed after it failed must not be taken for the old one. */
const onceKey = ({ id, text }: Dispatch) => `reply-${id}-${hash('sha256', text, 'base64url').slice(0, 16)}`;

async function putOff(transaction: Transaction, replyId: number, fault: DirectoryFault, tries: number): Promise<void> {
  const verdict = judgeUnsent(fault, tries);
  const message = fault.fault === 'refused' ? fault.messages.join(' ') : fault.detail;
  await settleUnsent(transaction, replyId, { ...verdict, message });
  if (verdict.status === 'FAILED') return;
  await sendReplyJob.enqueue(transaction, { replyId }, { delaySeconds: verdict.afterSeconds });
}
