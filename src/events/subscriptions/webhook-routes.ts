import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { type AuditEntry, recordAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { Rotation, rotationUnderWay } from '../../http/rotation.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { nothingToChange } from '../../http/validation.ts';
import { filterNotFound, notFound, unknownReference } from '../../problems.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import { newWebhookSecret } from '../signing/keys.ts';
import { checkTarget, judgeTarget } from './target-check.ts';
import {
  changedSettings,
  EventTypeField,
  NewWebhook,
  newSettings,
  WebhookAnswer,
  WebhookChange,
  webhookAnswer,
} from './webhook.ts';
import {
  bringRetriesForward,
  cancelWaiting,
  deleteWebhook,
  findWebhook,
  forgetFailures,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  previousSecretSignsUntil,
  reachesPartner,
  replaceSecret,
  updateWebhook,
} from './webhook-store.ts';

const secret = Type.String({ description: 'Signs the webhook-signature header. Shown this once' });

export function webhookRoutes(server: FastifyInstance, { config, database, sealer }: Services): void {
  const policy = { allow: config.allowTargets, requireHttps: config.requireHttps };

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks',
    summary: 'The webhooks of a partner',
    needs: 'ADMIN',
    query: Type.Object({
      type: Type.Optional(Type.Array(EventTypeField)),
      salesPartnerId: Type.Optional(Id),
    }),
    response: Type.Array(WebhookAnswer),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: { type, salesPartnerId: partnerId = caller.partnerId } }) => {
      if (!(await reachesPartner(database.pool, caller.partnerId, partnerId)))
        throw filterNotFound(...noPartner(partnerId));
      const webhooks = await listWebhooks(database.pool, caller.partnerId, { partnerId, ...(type && { types: type }) });
      const now = await databaseNow(database.pool);
      return webhooks.map((webhook) => webhookAnswer(webhook, now));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks',
    summary: 'Create a webhook',
    needs: 'ADMIN',
    body: NewWebhook,
    response: Type.Object({ ...WebhookAnswer.properties, secret }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, body } = request;
      const warning = await checkTarget(body.pushUrl, policy, caller.partnerId);
      if (warning) request.warnings.push(warning);
      return idempotentTransaction(request, async (transaction) => {
        const { salesPartnerId: partnerId = caller.partnerId } = body;
        if (!(await reachesPartner(transaction, caller.partnerId, partnerId)))
          throw unknownReference(...noPartner(partnerId));
        const newSecret = newWebhookSecret();
        const id = await insertWebhook(transaction, partnerId, newSettings(body), sealer.seal(newSecret));
        const webhook = await found(id, findWebhook(transaction, caller.partnerId, id));
        const { type, pushUrl } = body;
        await note(transaction, caller, { action: 'CREATED', subjectId: id, details: { type, pushUrl } });
        return { ...webhookAnswer(webhook, await databaseNow(transaction)), secret: newSecret };
      });
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/check-url',
    summary: 'Whether a webhook could be sent to a URL; nothing is kept and nothing is sent there',
    needs: 'ADMIN',
    body: Type.Object({ pushUrl: WebhookAnswer.properties.pushUrl }),
    response: Type.Object({
      usable: Type.Boolean(),
      rule: Type.Optional(Type.String({ description: 'What it breaks, when it cannot be used' })),
      message: Type.Optional(
        Type.String({ description: 'Why not, or what is to be mended before deliveries succeed' }),
      ),
    }),
    handler: ({ body, caller }) => judgeTarget(body.pushUrl, policy, caller.partnerId),
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id',
    summary: 'A webhook',
    needs: 'ADMIN',
    params: idParams,
    response: WebhookAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      webhookAnswer(
        await found(id, findWebhook(database.pool, caller.partnerId, id)),
        await databaseNow(database.pool),
      ),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/sales-partners/webhooks/:id',
    summary:
      'Change a webhook. With another type, waiting deliveries are cancelled; when it is enabled, they are sent now',
    needs: 'ADMIN',
    params: idParams,
    body: WebhookChange,
    response: WebhookAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, body } = request;
      const { id } = request.params;
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(WebhookChange.properties));
      const warning = body.pushUrl && (await checkTarget(body.pushUrl, policy, caller.partnerId));
      if (warning) request.warnings.push(warning);
      return database.transaction(async (transaction) => {
        const webhook = await found(id, lockWebhook(transaction, caller.partnerId, id));
        const { settings, startsAfresh } = changedSettings(webhook, body);
        await updateWebhook(transaction, id, settings);
        if (settings.type !== webhook.type) await cancelWaiting(transaction, id);
        await note(transaction, caller, { action: 'UPDATED', subjectId: id, details: body });
        if (startsAfresh) {
          await forgetFailures(transaction, id);
          if (settings.enabled && !webhook.enabled) await bringRetriesForward(transaction, id);
          transaction.notifyAfterCommit(deliveriesChannel);
        }
        return webhookAnswer(
          await found(id, findWebhook(transaction, caller.partnerId, id)),
          await databaseNow(transaction),
        );
      });
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/sales-partners/webhooks/:id',
    summary: 'Delete a webhook',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({ success: Type.Literal(true) }),
    problems: ['NOT_FOUND'],
    handler: ({ caller, params: { id } }) =>
      database.transaction(async (transaction) => {
        const { type, pushUrl } = await found(id, findWebhook(transaction, caller.partnerId, id));
        if (!(await deleteWebhook(transaction, caller.partnerId, id))) throw noWebhook(id);
        await note(transaction, caller, { action: 'DELETED', subjectId: id, details: { type, pushUrl } });
        return { success: true as const };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/rotate-secret',
    summary: 'Replace the secret; both sign until the overlap ends',
    needs: 'ADMIN',
    params: idParams,
    body: Rotation,
    response: Type.Object({ secret, previousSecretSignsUntil: Type.String() }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id } = request.params;
        const { overlapHours = config.keyOverlapHours } = request.body;
        await found(id, lockWebhook(transaction, request.caller.partnerId, id));
        const running = await previousSecretSignsUntil(transaction, id);
        if (running && overlapHours > 0) throw rotationUnderWay(running);
        const newSecret = newWebhookSecret();
        const until = await replaceSecret(transaction, id, sealer.seal(newSecret), overlapHours * 3600);
        await note(transaction, request.caller, { action: 'SECRET_ROTATED', subjectId: id, details: { overlapHours } });
        return { secret: newSecret, previousSecretSignsUntil: until.toISOString() };
      }),
  });
}

async function found<T>(id: number, look: Promise<T | undefined>): Promise<T> {
  const webhook = await look;
  if (webhook === undefined) throw noWebhook(id);
  return webhook;
}

const note = (transaction: Transaction, { partnerId, by }: Caller, entry: Omit<AuditEntry, 'subject'>) =>
  recordAudit(transaction, { partner: { id: partnerId }, by }, { subject: 'WEBHOOK', ...entry });

const noWebhook = (id: number) => notFound(`webhook ${id}`);

const noPartner = (id: number) => ['salesPartnerId', `sales partner ${id}`] as const;
