import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams, parseId } from '../../http/ids.ts';
import { partnerQuery } from '../../http/lists.ts';
import { deleteRoute, route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { requireChange } from '../../http/validation.ts';
import { filterNotFound, invalidField, requireFound, unknownReference } from '../../problems.ts';
import { enqueueReviews } from '../alerts/review-alerts-job.ts';
import { newWebhookSecret, Rotation } from '../signing/keys.ts';
import { publicKeyOf, signingKey } from '../signing/signature.ts';
import { openWebhookSecret } from '../signing/webhook-credentials.ts';
import { checkPushUrl, hostOf, type Refusal, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';
import { checkDestination } from '../transport/queues/queue-url.ts';
import {
  EventTypeField,
  maxWebhooks,
  NewWebhook,
  newSettings,
  newTypes,
  publicKeysPath,
  WebhookChange,
  WebhookResponse,
  webhookResponse,
} from './webhook.ts';
import {
  changeWebhook,
  createWebhook,
  NewSecret,
  newSecrets,
  removeWebhook,
  rotateSecrets,
} from './webhook-changes.ts';
import {
  findPublishedSecrets,
  listWebhooks,
  requireCapacity,
  requireLockedWebhook,
  requirePartner,
  requireWebhook,
} from './webhook-store.ts';

export const CreatedWebhook = Type.Object({ ...WebhookResponse.properties, secret: NewSecret.properties.secret });

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
      includeChildren: partnerQuery.includeChildren,
    }),
    response: Type.Array(WebhookResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const { type, salesPartnerId: partnerId = caller.partnerId, includeChildren = false } = query;
      await requirePartner(database.pool, caller.partnerId, partnerId, filterNotFound);
      const filter = { partnerId, includeChildren, ...(type && { types: type }) };
      const webhooks = await listWebhooks(database.pool, caller.partnerId, filter);
      const now = await databaseNow(database.pool);
      return webhooks.map((webhook) => webhookResponse(webhook, now));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks',
    summary: `Create a webhook, or one per type with types. A partner can have ${maxWebhooks} webhooks`,
    needs: 'ADMIN',
    body: NewWebhook,
    response: Type.Union([CreatedWebhook, Type.Array(CreatedWebhook)], {
      description: 'A list if the request has types',
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, body } = request;
      const types = newTypes(body);
      request.warnings.push(...(await checkTargets(body, policy, caller.partnerId)));
      return idempotentTransaction(request, async (transaction) => {
        const { salesPartnerId: partnerId = caller.partnerId } = body;
        await requirePartner(transaction, caller.partnerId, partnerId, unknownReference);
        await requireCapacity(transaction, partnerId, types.length);
        const newSecret = newWebhookSecret();
        const secrets = newSecrets(sealer, newSecret, body);
        const created: Static<typeof CreatedWebhook>[] = [];
        for (const type of types) {
          const id = await createWebhook(transaction, caller, partnerId, newSettings({ ...body, type }), secrets);
          const webhook = await requireWebhook(transaction, caller.partnerId, id);
          created.push({ ...webhookResponse(webhook, await databaseNow(transaction)), secret: newSecret });
        }
        const [first] = created;
        return body.types || !first ? created : first;
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
    handler: ({ body, caller }) => checkUsable(checkDestination(body.pushUrl, policy), policy, caller.partnerId),
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
      requireChange(body, WebhookChange.properties, request.warnings);
      request.warnings.push(...(await checkTargets(body, policy, caller.partnerId)));
      return database.transaction(async (transaction) => {
        const webhook = await requireLockedWebhook(transaction, caller.partnerId, id);
        await changeWebhook(transaction, caller, sealer, webhook, body);
        await enqueueReviews(transaction, [webhook.partnerId]);
        return webhookResponse(await requireWebhook(transaction, caller.partnerId, id), await databaseNow(transaction));
      });
    },
  });

  deleteRoute(server, {
    path: '/api/sales-partners/webhooks/:id',
    summary: 'Delete a webhook',
    needs: 'ADMIN',
    params: idParams,
    problems: ['NOT_FOUND'],
    remove: async (transaction, { caller, params: { id } }) => {
      const webhook = await requireLockedWebhook(transaction, caller.partnerId, id);
      await removeWebhook(transaction, caller, webhook);
      await enqueueReviews(transaction, [webhook.partnerId]);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/:id/rotate-secret',
    summary: 'Rotate the secret. The old and the new secret both sign until the overlap ends',
    needs: 'ADMIN',
    params: idParams,
    body: Rotation,
    response: NewSecret,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const webhook = await requireLockedWebhook(transaction, request.caller.partnerId, request.params.id);
        const { overlapHours = config.keyOverlapHours } = request.body;
        const rotated = await rotateSecrets(transaction, request.caller, sealer, [webhook], overlapHours);
        await enqueueReviews(transaction, [webhook.partnerId]);
        return rotated;
      }),
  });
}

type TargetCheck = { usable: true; message?: string } | ({ usable: false } & Refusal);

/** Throws if deliveries can never succeed. Returns warnings about hosts that have no public address yet. */
export async function checkTargets(
  { pushUrl, oauth }: Pick<Static<typeof WebhookChange>, 'pushUrl' | 'oauth'>,
  policy: TargetPolicy,
  owner?: number,
): Promise<string[]> {
  const warnings = [
    pushUrl !== undefined && (await checkTarget('pushUrl', checkDestination(pushUrl, policy), policy, owner)),
    oauth && (await checkTarget('oauth.tokenUrl', checkPushUrl(oauth.tokenUrl, policy), policy, owner)),
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}

async function checkTarget(
  field: string,
  url: URL | Refusal,
  policy: TargetPolicy,
  owner?: number,
): Promise<string | undefined> {
  const checked = await checkUsable(url, policy, owner);
  if (checked.usable) return checked.message;
  const message = field === 'pushUrl' ? checked.message : checked.message.replaceAll('push URL', 'token URL');
  throw invalidField(field, checked.rule, `${field} cannot be used. ${message}`);
}

/** The same check as a value, for validation while the user types. */
async function checkUsable(url: URL | Refusal, policy: TargetPolicy, owner?: number): Promise<TargetCheck> {
  if ('rule' in url) return { usable: false, ...url };
  const target = await resolveTarget(url, policy, owner);
  if ('addresses' in target) return { usable: true };
  if ('rule' in target) return { usable: false, ...target };
  return {
    usable: true,
    message: `The host ${hostOf(url)} has no public address. Deliveries fail until it has one: check its spelling and its DNS records.`,
  };
}

/** After a rotation without overlap, a receiver may use the old key for this long. */
const cacheSeconds = 300;

/** The public Ed25519 keys of a webhook: the current one, and during a rotation the previous one. */
export function publicKeyRoutes(server: FastifyInstance, { database, sealer }: Services): void {
  server.get(publicKeysPath(':id'), async (request, reply) => {
    const { id } = request.params as { id: string };
    const webhookId = parseId(id);
    const secrets = webhookId === undefined ? undefined : await findPublishedSecrets(database.pool, webhookId);
    const { secret, previousSecret } = requireFound(secrets, `webhook ${id.slice(0, 20)} with asymmetric signatures`);
    const sealed = [secret, ...(previousSecret ? [previousSecret] : [])];
    const keys = sealed.map((one) => publicKeyOf(signingKey(openWebhookSecret(sealer, one).seed)));
    return reply
      .header('content-type', 'application/jwk-set+json')
      .header('cache-control', `public, max-age=${cacheSeconds}`)
      .send(JSON.stringify({ keys }));
  });
}
