import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { findBusiness } from '../../catalog/index.ts';
import { directoryName } from '../../directories/index.ts';
import type { DatapointCheckState } from '../../listings/index.ts';
import {
  type Datapoint,
  maxReplies,
  publishesDirectly,
  type Reply,
  ReplyResponse,
  ReplyText,
  refusalOfReply,
  replyLimitReached,
  replyMaxLength,
  replyResponse,
  supportsReply,
} from './datapoint.ts';
import { enqueueConfirmation, sendReplyJob } from './datapoint-jobs.ts';
import { viewerOf } from './datapoint-routes.ts';
import { findDatapoint } from './datapoint-store.ts';
import { checkStateOf, findCountedReplies, insertReply, isUnconfirmed, lockReply, updateReply } from './reply-store.ts';

const replyParams = Type.Object({ id: Id, replyId: Id });
const replyBody = Type.Object({ data: ReplyText });

export function replyRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/data-points/:id/replies',
    summary: 'Reply to a datapoint. Replies of location managers require approval',
    needs: 'INBOX_WRITE',
    params: idParams,
    body: replyBody,
    response: ReplyResponse,
    problems: ['NOT_FOUND', 'REPLY_NOT_SUPPORTED', 'REPLY_TOO_LONG', 'TOO_MANY_REPLIES'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params, body } = request;
        const datapoint = await requireDatapoint(transaction, caller, params.id);
        const checked = await checkReply(transaction, datapoint, body.data);
        await checkReplyLimit(transaction, datapoint, checked);
        const business = await findBusiness(transaction, caller.partnerId, datapoint.businessId);
        const reply = await insertReply(transaction, {
          datapointId: datapoint.id,
          author: business?.name ?? caller.by,
          text: body.data.trim(),
          createdBy: caller.by,
          status: nextStatus(caller),
        });
        await audit(transaction, caller, 'CREATED', reply);
        if (reply.status === 'SCHEDULED') await enqueueReply(transaction, caller, reply);
        return replyResponse(reply);
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/data-points/:id/replies/:replyId/approve',
    summary: 'Approve and send a reply',
    needs: 'INBOX_WRITE',
    params: replyParams,
    response: ReplyResponse,
    problems: ['NOT_FOUND', 'REPLY_NOT_SUPPORTED', 'REPLY_TOO_LONG', 'TOO_MANY_REPLIES', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller } = request;
        if (!publishesDirectly(caller.user)) {
          throw new Problem('FORBIDDEN', {
            message:
              'Location managers cannot approve replies. Ask a business manager, an account manager or an administrator.',
          });
        }
        const { datapoint, reply } = await requireReply(transaction, caller, request.params);
        if (reply.status !== 'PENDING_APPROVAL') throw wrongStatus(reply, 'approved', ['PENDING_APPROVAL']);
        const checked = await checkReply(transaction, datapoint, reply.text);
        await checkReplyLimit(transaction, datapoint, checked, reply);
        const approved = await updateReply(transaction, reply.id, { status: 'SCHEDULED', approvedBy: caller.by });
        await audit(transaction, caller, 'APPROVED', approved);
        await enqueueReply(transaction, caller, reply);
        return replyResponse(approved);
      }),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/data-points/:id/replies/:replyId',
    summary: 'Update a reply before it is published. A failed reply is sent again',
    needs: 'INBOX_WRITE',
    params: replyParams,
    body: replyBody,
    response: ReplyResponse,
    problems: ['NOT_FOUND', 'REPLY_NOT_SUPPORTED', 'REPLY_TOO_LONG', 'TOO_MANY_REPLIES', 'CONFLICT', 'RESOURCE_LOCKED'],
    handler: ({ caller, params, body }) =>
      database.transaction(async (transaction) => {
        const { datapoint, reply } = await requireReply(transaction, caller, params);
        requireUnpublished(reply, 'changed');
        if (isSentUnconfirmed(reply)) throw notConfirmed(reply, 'It will be sent again. Wait, or withdraw the reply.');
        const checked = await checkReply(transaction, datapoint, body.data);
        if (isUnconfirmed(reply, checked.checkedAt))
          throw notConfirmed(reply, 'Wait for the next check of its datapoints, or withdraw the reply.');
        await checkReplyLimit(transaction, datapoint, checked, reply);
        const status = nextStatus(caller);
        const isApproval = reply.status === 'PENDING_APPROVAL' && status === 'SCHEDULED';
        const changed = await updateReply(transaction, reply.id, {
          status,
          text: body.data.trim(),
          ...(isApproval && { approvedBy: caller.by }),
          ...(status === 'PENDING_APPROVAL' && { approvedBy: null }),
        });
        await audit(transaction, caller, 'UPDATED', changed);
        if (changed.status === 'SCHEDULED') await enqueueReply(transaction, caller, reply);
        return replyResponse(changed);
      }),
  });

  deleteRoute(server, {
    path: '/api/data-points/:id/replies/:replyId',
    summary: 'Withdraw a reply before it is published',
    needs: 'INBOX_WRITE',
    params: replyParams,
    problems: ['NOT_FOUND', 'CONFLICT', 'RESOURCE_LOCKED'],
    remove: async (transaction, { caller, params }) => {
      const { datapoint, reply } = await requireReply(transaction, caller, params);
      requireUnpublished(reply, 'withdrawn');
      const { checkedAt } = await checkStateOf(transaction, datapoint);
      const tries = isSentUnconfirmed(reply) || isUnconfirmed(reply, checkedAt) ? reply.tries : 0;
      const withdrawn = await updateReply(transaction, reply.id, { status: 'DELETED', tries });
      if (tries > 0) await enqueueConfirmation(transaction, { ...datapoint, partnerId: caller.partnerId });
      await audit(transaction, caller, 'DELETED', withdrawn);
    },
  });
}

const enqueueReply = (transaction: Transaction, { partnerId }: Caller, { id: replyId }: Reply) =>
  sendReplyJob.enqueue(transaction, { replyId, partnerId });

const nextStatus = (caller: Caller) => (publishesDirectly(caller.user) ? 'SCHEDULED' : 'PENDING_APPROVAL');

async function requireDatapoint(transaction: Transaction, caller: Caller, id: number): Promise<Datapoint> {
  return requireFound(await findDatapoint(transaction, viewerOf(caller), id, 'for no key update'), `datapoint ${id}`);
}

async function requireReply(
  transaction: Transaction,
  caller: Caller,
  { id, replyId }: { id: number; replyId: number },
): Promise<{ datapoint: Datapoint; reply: Reply }> {
  const datapoint = await requireDatapoint(transaction, caller, id);
  const reply = requireFound(await lockReply(transaction, id, replyId), `reply ${replyId} to datapoint ${id}`);
  return { datapoint, reply };
}

async function checkReply(transaction: Transaction, datapoint: Datapoint, text: string): Promise<DatapointCheckState> {
  const { type, directoryType } = datapoint;
  const state = await checkStateOf(transaction, datapoint);
  const refusal =
    refusalOfReply(datapoint, state) ??
    (supportsReply(datapoint) ? undefined : `${directoryName(directoryType)} does not support replies to a ${type}.`);
  if (refusal) throw new Problem('REPLY_NOT_SUPPORTED', { message: refusal });
  const { length } = text.trim();
  const limit = replyMaxLength(datapoint);
  if (length <= limit) return state;
  const message = `data has ${length} characters. ${directoryName(directoryType)} accepts at most ${limit}.`;
  throw new Problem('REPLY_TOO_LONG', { errors: [{ field: 'data', rule: 'maxLength', message }] });
}

/**
 * Requires the lock of the datapoint, so that concurrent requests cannot exceed the limit. `reply`: an existing reply,
 * which does not count; the owner may have replied on the directory since it was written.
 */
async function checkReplyLimit(
  transaction: Transaction,
  datapoint: Datapoint,
  { checkedAt }: DatapointCheckState,
  reply?: Reply,
): Promise<void> {
  const counted = await findCountedReplies(transaction, datapoint.id, { exceptId: reply?.id, checkedAt });
  if (counted.length < maxReplies(datapoint.type)) return;
  const withdrawn = counted.find(({ status }) => status === 'DELETED');
  const solution = withdrawn
    ? `Reply ${withdrawn.id} was withdrawn, but the directory may have published it. Wait for the next check of its datapoints.`
    : 'Change or withdraw a reply that is not published yet.';
  throw new Problem('TOO_MANY_REPLIES', { message: `${replyLimitReached(datapoint)} ${solution}` });
}

/** Rejects replies that the directory has or may have received. */
function requireUnpublished(reply: Reply, action: string): void {
  if (reply.status === 'SENDING') {
    throw new Problem('RESOURCE_LOCKED', { message: `Reply ${reply.id} is being sent. Try again later.` });
  }
  if (reply.status === 'PUBLISHED') throw wrongStatus(reply, action, ['PENDING_APPROVAL', 'SCHEDULED', 'FAILED']);
}

/** Sent without a response; it will be sent again. */
const isSentUnconfirmed = ({ status, tries }: Reply) => status === 'SCHEDULED' && tries > 0;

/** The directory may have accepted the current text: a changed text would be published as a second reply. */
const notConfirmed = ({ id }: Reply, solution: string) =>
  new Problem('RESOURCE_LOCKED', {
    message: `Reply ${id} was sent, but the directory did not confirm it. ${solution}`,
  });

const wrongStatus = ({ id, status }: Reply, action: string, allowed: readonly string[]) =>
  new Problem('CONFLICT', {
    message: `Reply ${id} is ${status}. It can be ${action} only while it is ${allowed.join(' or ')}.`,
  });

const audit = (transaction: Transaction, caller: Caller, action: string, { id, datapointId, status }: Reply) =>
  recordAudit(transaction, actorOf(caller), action, 'DATAPOINT_REPLY', id, { datapointId, status });
