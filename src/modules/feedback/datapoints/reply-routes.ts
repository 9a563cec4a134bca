import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound, Problem } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { findBusiness } from '../../catalog/index.ts';
import { type Datapoint, mostReplies, replyMaxLength, supportsReply } from './datapoint.ts';
import { noDatapoint, viewerOf } from './datapoint-routes.ts';
import { lockDatapoint } from './datapoint-store.ts';
import { publishesDirectly, type Reply, ReplyAnswer, ReplyText, replyAnswer } from './reply.ts';
import { countOwnerReplies, insertReply, lockReply, updateReply } from './reply-store.ts';
import { sendReplyJob } from './send-reply.ts';

const replyParams = Type.Object({ id: Id, replyId: Id });
const replyBody = Type.Object({ data: ReplyText });

export function replyRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/data-points/:id/replies',
    summary: 'Answer a datapoint; the answer of a location manager waits for approval',
    needs: 'INBOX_WRITE',
    params: idParams,
    body: replyBody,
    response: ReplyAnswer,
    problems: ['NOT_FOUND', 'REPLY_NOT_SUPPORTED', 'REPLY_TOO_LONG', 'TOO_MANY_REPLIES'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params, body } = request;
        const datapoint = await knownDatapoint(transaction, caller, params.id);
        checkReply(datapoint, body.data);
        await checkRoom(transaction, datapoint);
        const business = await findBusiness(transaction, caller.partnerId, datapoint.businessId);
        const reply = await insertReply(transaction, {
          datapointId: datapoint.id,
          author: business?.name ?? caller.by,
          text: body.data.trim(),
          createdBy: caller.by,
          status: nextStatus(caller),
        });
        await audit(transaction, caller, 'CREATED', reply);
        if (reply.status === 'SCHEDULED') await sendReplyJob.enqueue(transaction, { replyId: reply.id });
        return replyAnswer(reply);
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/data-points/:id/replies/:replyId/approve',
    summary: 'Approve an answer, which is then sent',
    needs: 'INBOX_WRITE',
    params: replyParams,
    response: ReplyAnswer,
    problems: ['NOT_FOUND', 'REPLY_NOT_SUPPORTED', 'REPLY_TOO_LONG', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller } = request;
        if (!publishesDirectly(caller.user)) {
          throw new Problem('FORBIDDEN', { message: 'A location manager may not approve answers.' });
        }
        const { datapoint, reply } = await knownReply(transaction, caller, request.params);
        if (reply.status !== 'PENDING_APPROVAL') throw inStatus(reply, 'approved', ['PENDING_APPROVAL']);
        checkReply(datapoint, reply.text);
        const approved = await updateReply(transaction, reply.id, { status: 'SCHEDULED', approvedBy: caller.by });
        await audit(transaction, caller, 'APPROVED', approved);
        await sendReplyJob.enqueue(transaction, { replyId: reply.id });
        return replyAnswer(approved);
      }),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/data-points/:id/replies/:replyId',
    summary: 'Change an answer that the directory does not have yet; one that failed is sent again',
    needs: 'INBOX_WRITE',
    params: replyParams,
    body: replyBody,
    response: ReplyAnswer,
    problems: ['NOT_FOUND', 'REPLY_NOT_SUPPORTED', 'REPLY_TOO_LONG', 'TOO_MANY_REPLIES', 'CONFLICT', 'RESOURCE_LOCKED'],
    handler: ({ caller, params, body }) =>
      database.transaction(async (transaction) => {
        const { datapoint, reply } = await knownReply(transaction, caller, params);
        refuseUnlessOpen(reply, 'changed');
        if (reply.status === 'SCHEDULED' && reply.tries > 0) throw inDoubt(reply);
        checkReply(datapoint, body.data);
        if (reply.status === 'FAILED') await checkRoom(transaction, datapoint);
        const status = nextStatus(caller);
        const isApproval = reply.status === 'PENDING_APPROVAL' && status === 'SCHEDULED';
        const changed = await updateReply(transaction, reply.id, {
          status,
          text: body.data.trim(),
          ...(isApproval && { approvedBy: caller.by }),
        });
        await audit(transaction, caller, 'UPDATED', changed);
        if (changed.status === 'SCHEDULED') await sendReplyJob.enqueue(transaction, { replyId: reply.id });
        return replyAnswer(changed);
      }),
  });

  route(server, {
    method: 'DELETE',
    path: '/api/data-points/:id/replies/:replyId',
    summary: 'Withdraw an answer that the directory does not have yet',
    needs: 'INBOX_WRITE',
    params: replyParams,
    response: Type.Object({ success: Type.Literal(true) }),
    problems: ['NOT_FOUND', 'CONFLICT', 'RESOURCE_LOCKED'],
    handler: ({ caller, params }) =>
      database.transaction(async (transaction) => {
        const { reply } = await knownReply(transaction, caller, params);
        refuseUnlessOpen(reply, 'withdrawn');
        await audit(transaction, caller, 'DELETED', await updateReply(transaction, reply.id, { status: 'DELETED' }));
        return { success: true as const };
      }),
  });
}

const nextStatus = (caller: Caller) => (publishesDirectly(caller.user) ? 'SCHEDULED' : 'PENDING_APPROVAL');

async function knownDatapoint(transaction: Transaction, caller: Caller, id: number): Promise<Datapoint> {
  const datapoint = await lockDatapoint(transaction, viewerOf(caller), id);
  if (!datapoint) throw noDatapoint(id);
  return datapoint;
}

async function knownReply(
  transaction: Transaction,
  caller: Caller,
  { id, replyId }: { id: number; replyId: number },
): Promise<{ datapoint: Datapoint; reply: Reply }> {
  const datapoint = await knownDatapoint(transaction, caller, id);
  const reply = await lockReply(transaction, id, replyId);
  if (!reply) throw notFound(`reply ${replyId} to datapoint ${id}`);
  return { datapoint, reply };
}

function checkReply(datapoint: Datapoint, text: string): void {
  const { id, type, status, directoryType } = datapoint;
  if (!supportsReply(datapoint)) {
    throw new Problem('REPLY_NOT_SUPPORTED', {
      message:
        status === 'INVALID'
          ? `Datapoint ${id} is gone from ${directoryType} and cannot be answered.`
          : `${directoryType} takes no answer to a ${type}.`,
    });
  }
  const { length } = text.trim();
  const most = replyMaxLength(datapoint);
  if (length <= most) return;
  throw new Problem('REPLY_TOO_LONG', {
    errors: [
      {
        field: 'data',
        rule: 'maxLength',
        message: `data may have at most ${most} characters on ${directoryType}; it has ${length}.`,
      },
    ],
  });
}

/** Behind the lock of the datapoint: of two who answer at once, one is too late. */
async function checkRoom(transaction: Transaction, datapoint: Datapoint): Promise<void> {
  const most = mostReplies(datapoint.type);
  if ((await countOwnerReplies(transaction, datapoint.id)) >= most) throw tooManyReplies(datapoint, most);
}

const tooManyReplies = ({ id, type }: Datapoint, most: number) =>
  new Problem('TOO_MANY_REPLIES', {
    message: `A ${type} can have ${most === 1 ? 'one answer' : `${most} answers`} of the owner, and datapoint ${id} has ${most === 1 ? 'it' : 'them'} already.`,
  });

/** The directory has it, or may have it. */
function refuseUnlessOpen(reply: Reply, done: string): void {
  if (reply.status === 'SENDING') {
    throw new Problem('RESOURCE_LOCKED', {
      message: `Reply ${reply.id} is being sent at this moment. Try again later.`,
    });
  }
  if (reply.status === 'PUBLISHED') throw inStatus(reply, done, ['PENDING_APPROVAL', 'SCHEDULED', 'FAILED']);
}

/** The directory may have the text as it is: another one would be a second answer. */
const inDoubt = ({ id }: Reply) =>
  new Problem('RESOURCE_LOCKED', {
    message: `Reply ${id} was sent and the directory has not said whether it took it; it is being sent again. Wait, or withdraw it.`,
  });

const inStatus = ({ id, status }: Reply, done: string, allowed: readonly string[]) =>
  new Problem('CONFLICT', {
    message: `Reply ${id} is ${status}. It can be ${done} only while it is ${allowed.join(' or ')}.`,
  });

const audit = (transaction: Transaction, caller: Caller, action: string, { id, datapointId, status }: Reply) =>
  recordAudit(transaction, actorOf(caller), {
    action,
    subject: 'DATAPOINT_REPLY',
    subjectId: id,
    details: { datapointId, status },
  });
