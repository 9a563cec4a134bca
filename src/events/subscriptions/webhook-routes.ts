import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { nothingToChange } from '../../http/validation.ts';
import { filterNotFound, invalidField, notFound, unknownReference } from '../../problems.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import { newWebhookSecret, Rotation, rotationUnderWay } from '../signing/keys.ts';
import { checkPushUrl, hostOf, type Refusal, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';
import {
  changedSettings,
  EventTypeField,
  NewWebhook,
  newSettings,
  WebhookChange,
  WebhookResponse,
  webhookResponse,
} from './webhook.ts';
import {
  deleteWaitingDeliveries,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  makeRetriesDue,
  previousSecretSignsUntil,
  reachesPartner,
  replaceSecret,
  requireLockedWebhook,
  requireWebhook,
  resetFailures,
  updateWebhook,
} from './webhook-store.ts';

const secret = Type.String({ description: 'Secret of the webhook-signature header. Returned only once' });

export function webhookRoutes(server: FastifyInstance, { config, database, sealer }: Services): void {
  const policy = { allow: config.allowTargets, requireHttps: config.requireHttps };

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks',
    summary: 'List webhooks of a partner',
    needs: 'ADMIN',
    query: Type.Object({
      type: Type.Optional(Type.Array(EventTypeField)),
      salesPartnerId: Type.Optional(Id),
    }),
    response: Type.Array(WebhookResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: { type, salesPartnerId: partnerId = caller.partnerId } }) => {
      if (!(await reachesPartner(database.pool, caller.partnerId, partnerId)))
        throw filterNotFound(...partnerField(partnerId));
      const webhooks = await listWebhooks(database.pool, caller.partnerId, { partnerId, ...(type && { types: type }) });
      const now = await databaseNow(database.pool);
      return webhooks.map((webhook) => webhookResponse(webhook, now));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks',
    summary: 'Create a webhook',
    needs: 'ADMIN',
    body: NewWebhook,
    response: Type.Object({ ...WebhookResponse.properties, secret }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, body } = request;
      const warning = await checkTarget(body.pushUrl, policy, caller.partnerId);
      if (warning) request.warnings.push(warning);
      return idempotentTransaction(request, async (transaction) => {
        const { salesPartnerId: partnerId = caller.partnerId } = body;
        if (!(await reachesPartner(transaction, caller.partnerId, partnerId)))
          throw unknownReference(...partnerField(partnerId));
        const newSecret = newWebhookSecret();
        const id = await insertWebhook(transaction, partnerId, newSettings(body), sealer.seal(newSecret));
        const webhook = await requireWebhook(transaction, caller.partnerId, id);
        const { type, pushUrl } = body;
        await audit(transaction, caller, 'CREATED', id, { type, pushUrl });
        return { ...webhookResponse(webhook, await databaseNow(transaction)), secret: newSecret };
      });
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/check-url',
    summary: 'Check whether a URL can be used as push URL. Nothing is stored or sent',
    needs: 'ADMIN',
    body: Type.Object({ pushUrl: WebhookResponse.properties.pushUrl }),
    response: Type.Object({
      usable: Type.Boolean(),
      rule: Type.Optional(Type.String({ description: 'The rule that the URL violates, if it is not usable' })),
      message: Type.Optional(
        Type.String({ description: 'Why the URL is not usable, or what to fix before deliveries can succeed' }),
      ),
    }),
    handler: ({ body, caller }) => checkTargetUsable(body.pushUrl, policy, caller.partnerId),
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id',
    summary: 'Get a webhook',
    needs: 'ADMIN',
    params: idParams,
    response: WebhookResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      webhookResponse(await requireWebhook(database.pool, caller.partnerId, id), await databaseNow(database.pool)),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/sales-partners/webhooks/:id',
    summary: 'Update a webhook. Changing the type cancels waiting deliveries; enabling the webhook sends them now',
    needs: 'ADMIN',
    params: idParams,
    body: WebhookChange,
    response: WebhookResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, body } = request;
      const { id } = request.params;
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(WebhookChange.properties));
      const warning = body.pushUrl && (await checkTarget(body.pushUrl, policy, caller.partnerId));
      if (warning) request.warnings.push(warning);
      return database.transaction(async (transaction) => {
        const webhook = await requireLockedWebhook(transaction, caller.partnerId, id);
        const { settings, resetsHealth } = changedSettings(webhook, body);
        await updateWebhook(transaction, id, settings);
        if (settings.type !== webhook.type) await deleteWaitingDeliveries(transaction, id);
        await audit(transaction, caller, 'UPDATED', id, body);
        if (resetsHealth) {
          await resetFailures(transaction, id);
          if (settings.enabled && !webhook.enabled) await makeRetriesDue(transaction, id);
          transaction.notifyAfterCommit(deliveriesChannel);
        }
        return webhookResponse(await requireWebhook(transaction, caller.partnerId, id), await databaseNow(transaction));
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
        const { type, pushUrl } = await requireWebhook(transaction, caller.partnerId, id);
        if (!(await deleteWebhook(transaction, caller.partnerId, id))) throw notFound(`webhook ${id}`);
        await audit(transaction, caller, 'DELETED', id, { type, pushUrl });
        return { success: true as const };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/rotate-secret',
    summary: 'Rotate the secret. The old and the new secret both sign until the overlap ends',
    needs: 'ADMIN',
    params: idParams,
    body: Rotation,
    response: Type.Object({ secret, previousSecretSignsUntil: Type.String() }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id } = request.params;
        const { overlapHours = config.keyOverlapHours } = request.body;
        await requireLockedWebhook(transaction, request.caller.partnerId, id);
        const running = await previousSecretSignsUntil(transaction, id);
        if (running && overlapHours > 0) throw rotationUnderWay(running);
        const newSecret = newWebhookSecret();
        const until = await replaceSecret(transaction, id, sealer.seal(newSecret), overlapHours * 3600);
        await audit(transaction, request.caller, 'SECRET_ROTATED', id, { overlapHours });
        return { secret: newSecret, previousSecretSignsUntil: until.toISOString() };
      }),
  });
}

const audit = (transaction: Transaction, { partnerId, by }: Caller, action: string, id: number, details: object) =>
  recordAudit(transaction, { partner: { id: partnerId }, by }, action, 'WEBHOOK', id, { ...details });

const partnerField = (id: number) => ['salesPartnerId', `sales partner ${id}`] as const;

type TargetCheck = { usable: true; message?: string } | ({ usable: false } & Refusal);

/** Throws if deliveries to the push URL can never succeed. Returns a warning if its host has no public address yet. */
export async function checkTarget(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<string | undefined> {
  const checked = await checkTargetUsable(pushUrl, policy, owner);
  if (checked.usable) return checked.message;
  throw invalidField('pushUrl', checked.rule, `pushUrl cannot be used. ${checked.message}`);
}

/** The same check as a value, for validation while the user types. */
async function checkTargetUsable(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<TargetCheck> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) return { usable: false, ...url };
  const target = await resolveTarget(url, policy, owner);
  if ('addresses' in target) return { usable: true };
  if ('rule' in target) return { usable: false, ...target };
  return {
    usable: true,
    message: `The host ${hostOf(url)} has no public address. Deliveries fail until it has one: check its spelling and its DNS records.`,
  };
}
