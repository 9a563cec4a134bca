import Type, { type Static } from 'typebox';
import { type Activity, ActivityCounts, activityCounts, lastDay } from '../log/statistics.ts';
import {
  EventTypesField,
  healthOf,
  type Webhook,
  WebhookChange,
  WebhookResponse,
  webhookResponse,
} from '../subscriptions/webhook.ts';

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

/** Groups webhooks by partner and push URL, in the order of their oldest webhooks. */
export function destinationsOf(
  webhooks: readonly Webhook[],
  activities: readonly Activity[],
  now: Date,
): Static<typeof DestinationResponse>[] {
  const activityById = new Map(activities.map((activity) => [activity.webhookId, activity]));
  const groups = Map.groupBy(webhooks, ({ partnerId, pushUrl }) => `${partnerId} ${pushUrl}`);
  return [...groups.values()].map((members) => destination(members, activityById, now));
}

function destination(
  members: readonly Webhook[],
  activityById: ReadonlyMap<number, Activity>,
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
    ...activityCounts(
      lastDay(now).since,
      members.flatMap(({ id }) => activityById.get(id) ?? []),
    ),
    webhooks: members.map((webhook) => webhookResponse(webhook, now)),
  };
}
