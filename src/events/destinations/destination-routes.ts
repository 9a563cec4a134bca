import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id } from '../../http/ids.ts';
import { deleteRoute, route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { requireChange } from '../../http/validation.ts';
import { filterNotFound, notFound } from '../../problems.ts';
import { enqueueReviews } from '../alerts/review-alerts-job.ts';
import { type Activity, ActivityCounts, activityCounts, lastDay } from '../log/statistics.ts';
import { readActivity } from '../log/statistics-store.ts';
import { Rotation } from '../signing/keys.ts';
import {
  EventTypesField,
  healthOf,
  type Webhook,
  WebhookChange,
  WebhookResponse,
  webhookResponse,
} from '../subscriptions/webhook.ts';
import {
  changeWebhook,
  copyWebhook,
  NewSecret,
  removeWebhook,
  rotateSecrets,
} from '../subscriptions/webhook-changes.ts';
import { checkTargets } from '../subscriptions/webhook-routes.ts';
import { listWebhooks, lockDestination, requireCapacity, requirePartner } from '../subscriptions/webhook-store.ts';
import { withoutCredentials } from '../transport/queues/queue-url.ts';

type Health = Static<typeof WebhookResponse>['health'];

/** The worst state first. A destination is OFF only if all its webhooks are. */
const states = ['PAUSED', 'FAILING', 'HEALTHY', 'OFF'] as const satisfies Health['state'][];

export const DestinationResponse = Type.Object({
  pushUrl: WebhookResponse.properties.pushUrl,
  salesPartnerId: WebhookResponse.properties.salesPartnerId,
  types: EventTypesField,
  health: Type.Object({
    state: Type.Enum([...states], { description: 'The worst state of an enabled webhook; OFF if all are disabled' }),
    consecutiveFailures: Type.Integer({ description: 'The most consecutive failures of a webhook' }),
    lastError: Type.Optional(Type.String()),
  }),
  ...ActivityCounts.properties,
  webhooks: Type.Array(WebhookResponse, { description: 'One per event type, oldest first' }),
});

const { type: _, ...sharedChange } = WebhookChange.properties;

export const DestinationChange = Type.Object({
  ...sharedChange,
  types: Type.Optional({
    ...EventTypesField,
    description:
      'All event types of the destination. Webhooks of other types are deleted; new ones get the secret and settings of the oldest webhook',
  }),
});

function destinationResponse(
  members: readonly Webhook[],
  activities: readonly Activity[],
  now: Date,
): Static<typeof DestinationResponse> {
  const [{ pushUrl, partnerId }] = members as readonly [Webhook, ...Webhook[]];
  const healths = members.map((webhook) => healthOf(webhook, now));
  const worst = healths.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state))[0];
  const lastError = healths.find((health) => health.lastError)?.lastError;
  return {
    pushUrl,
    salesPartnerId: partnerId,
    types: members.map(({ type }) => type),
    health: {
      state: worst?.state ?? 'OFF',
      consecutiveFailures: Math.max(...healths.map(({ consecutiveFailures }) => consecutiveFailures)),
      ...(lastError && { lastError }),
    },
    ...activityCounts(lastDay(now).since, activities),
    webhooks: members.map((webhook) => webhookResponse(webhook, now)),
  };
}

const path = '/api/sales-partners/webhooks/destinations';
const salesPartnerId = Type.Optional(Id);
const destinationQuery = Type.Object({ pushUrl: WebhookResponse.properties.pushUrl, salesPartnerId });

/** A destination is the push URL that several webhooks of a partner share. */
export function destinationRoutes(server: FastifyInstance, { config, database, sealer }: Services): void {
  const policy = { allow: config.allowTargets, requireHttps: config.requireHttps };

  route(server, {
    method: 'GET',
    path,
    summary: 'List webhooks of a partner by push URL, with health and activity of the last 24 hours',
    needs: 'ADMIN',
    query: Type.Object({ salesPartnerId }),
    response: Type.Array(DestinationResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: { salesPartnerId: partnerId = caller.partnerId } }) => {
      const { pool } = database;
      await requirePartner(pool, caller.partnerId, partnerId, filterNotFound);
      return respond(pool, await listWebhooks(pool, caller.partnerId, { partnerId }));
    },
  });

  route(server, {
    method: 'PATCH',
    path,
    summary: 'Update all webhooks of a push URL, add event types or remove them',
    needs: 'ADMIN',
    query: destinationQuery,
    body: DestinationChange,
    response: DestinationResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => {
      const { caller, query, body } = request;
      const { types, ...change } = body;
      const hasChange = Object.keys(change).length > 0;
      requireChange(body, DestinationChange.properties, request.warnings);
      request.warnings.push(...(await checkTargets(body, policy, caller.partnerId)));
      return database.transaction(async (transaction) => {
        const webhooks = await requireDestination(transaction, caller, query);
        const [oldest] = webhooks as [Webhook, ...Webhook[]];
        const added = types?.filter((type) => !webhooks.some((webhook) => webhook.type === type)) ?? [];
        const removed = types ? webhooks.filter(({ type }) => !types.includes(type)) : [];
        await requireCapacity(transaction, oldest.partnerId, added.length - removed.length);
        for (const type of added) await copyWebhook(transaction, caller, sealer, oldest, { ...change, type });
        for (const webhook of webhooks) {
          if (removed.includes(webhook)) await removeWebhook(transaction, caller, webhook);
          else if (hasChange) await changeWebhook(transaction, caller, sealer, webhook, change);
        }
        const changed = await requireDestination(transaction, caller, { ...query, ...change });
        const [destination] = await respond(transaction, changed);
        await reviewAlertsOf(transaction, webhooks);
        return destination as Static<typeof DestinationResponse>;
      });
    },
  });

  deleteRoute(server, {
    path,
    summary: 'Delete all webhooks of a push URL',
    needs: 'ADMIN',
    query: destinationQuery,
    problems: ['NOT_FOUND'],
    remove: async (transaction, { caller, query }) => {
      const webhooks = await requireDestination(transaction, caller, query);
      for (const webhook of webhooks) await removeWebhook(transaction, caller, webhook);
      await reviewAlertsOf(transaction, webhooks);
    },
  });

  route(server, {
    method: 'POST',
    path: `${path}/rotate-secret`,
    summary: 'Give all webhooks of a push URL the same new secret. The old secrets also sign until the overlap ends',
    needs: 'ADMIN',
    query: destinationQuery,
    body: Rotation,
    response: NewSecret,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, query, body } = request;
        const webhooks = await requireDestination(transaction, caller, query);
        const { overlapHours = config.keyOverlapHours } = body;
        const rotated = await rotateSecrets(transaction, caller, sealer, webhooks, overlapHours);
        await reviewAlertsOf(transaction, webhooks);
        return rotated;
      }),
  });
}

const reviewAlertsOf = (transaction: Transaction, webhooks: readonly Webhook[]) =>
  enqueueReviews(
    transaction,
    webhooks.map(({ partnerId }) => partnerId),
  );

/** Throws NOT_FOUND if the partner has no webhook with this URL, or if the caller cannot see the partner. */
async function requireDestination(
  transaction: Transaction,
  caller: Caller,
  { pushUrl, salesPartnerId: partnerId = caller.partnerId }: Static<typeof destinationQuery>,
): Promise<Webhook[]> {
  const destination = { partnerId, pushUrl: withoutCredentials(pushUrl) };
  await lockDestination(transaction, caller.partnerId, destination);
  // The second read finds webhooks that were added while the first one waited for its locks.
  const webhooks = await lockDestination(transaction, caller.partnerId, destination);
  if (webhooks.length === 0) throw notFound(`webhook with the pushUrl ${destination.pushUrl}`);
  return webhooks;
}

/** Webhooks by partner and push URL, in the order of their oldest webhooks. */
async function respond(sql: Sql, webhooks: readonly Webhook[]): Promise<Static<typeof DestinationResponse>[]> {
  const now = await databaseNow(sql);
  const ids = webhooks.map(({ id }) => id);
  const activities = await readActivity(sql, ids, lastDay(now).since);
  const activityOf = new Map(activities.map((activity) => [activity.webhookId, activity]));
  const groups = Map.groupBy(webhooks, ({ partnerId, pushUrl }) => `${partnerId} ${pushUrl}`);
  return [...groups.values()].map((members) => {
    const ofMembers = members.flatMap(({ id }) => activityOf.get(id) ?? []);
    return destinationResponse(members, ofMembers, now);
  });
}
