import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../database/schema.ts';
import { Id } from '../../http/ids.ts';
import { recordResponse } from '../../http/record-response.ts';
import { deletableField, deletableFields } from '../../http/validation.ts';
import { invalidField, missingField } from '../../problems.ts';
import { type EventTypeName, eventTypeNames } from '../catalogue/catalogue.ts';
import type { ClientCertificate, OAuthClient } from '../signing/webhook-credentials.ts';
import { withoutCredentials } from '../transport/queues/queue-url.ts';
import { checkFilter, type Filter, FilterField, filterText } from './filter.ts';
import {
  ClientCertificateField,
  ClientCertificateResponse,
  certificateResponse,
  clientOf,
  HeadersChange,
  HeadersField,
  OAuthField,
  readCertificate,
} from './webhook-credential-fields.ts';

/** Settings that the partner controls besides push URL and type, with their defaults. */
const defaultSettings = {
  description: '',
  enabled: true,
  includeChildren: true,
  retrySchedule: null as number[] | null,
  filter: null as Filter | null,
  oauth: null as OAuthClient | null,
  clientCertificate: null as ClientCertificate | null,
  maxPerSecond: null as number | null,
  timeoutSeconds: null as number | null,
  asymmetricSignature: false,
  cloudEvents: false,
  ordered: false,
};

export type WebhookSettings = typeof defaultSettings & { pushUrl: string; type: EventTypeName };

type StoredWebhook = Pick<
  Selectable<DB['webhooks']>,
  'id' | 'partnerId' | 'disabledReason' | 'headerNames' | 'dateCreated' | 'lastUpdated'
>;
type StoredHealth = Pick<Selectable<DB['webhookHealth']>, 'consecutiveFailures' | 'failingSince' | 'lastError'>;

export interface Webhook extends WebhookSettings, StoredWebhook, StoredHealth {
  /** Whether credentials of a broker are saved. */
  hasCredentials: boolean;
  pausedUntil: Date | null;
  previousSecretSignsUntil: Date | null;
}

const maxWaitSeconds = 86_400;

const pushUrl = Type.String({
  maxLength: 2048,
  description:
    'URL that deliveries are sent to. For a queue: amqps://user:password@host/vhost?queue=NAME for RabbitMQ, tls://user:password@host?subject=SUBJECT for NATS JetStream, kafkas://user:password@host:9093?topic=TOPIC for Kafka, sqs://KEY_ID:SECRET@sqs.REGION.amazonaws.com/ACCOUNT/NAME for Amazon SQS. User name and password are stored encrypted and never returned. A URL without them keeps the saved ones for the same broker; an empty user name (//@host) deletes them',
});
export const EventTypeField = Type.Enum([...eventTypeNames], {
  title: 'EventType',
  description: 'Event type that the webhook is subscribed to',
});
const description = Type.String({ maxLength: 500 });
const includeChildren = Type.Boolean({ description: 'Include events of child partners; true for a new webhook' });

/** Settings without a value by default. */
const optionalSettings = {
  retrySchedule: Type.Array(Type.Integer({ minimum: 1, maximum: maxWaitSeconds }), {
    maxItems: 10,
    description: 'Seconds to wait before each retry, instead of the default schedule',
  }),
  filter: FilterField,
  headers: HeadersField,
  oauth: OAuthField,
  clientCertificate: ClientCertificateField,
  maxPerSecond: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of deliveries per second. Default: no limit',
  }),
  timeoutSeconds: Type.Integer({
    minimum: 1,
    maximum: 30,
    description:
      'Time limit of a request, instead of the default. With oauth, a token request before it takes at most 10 s',
  }),
};

const flags = {
  asymmetricSignature: Type.Boolean({
    description: 'Also sign with Ed25519 (v1a). The public keys are at publicKeysPath',
  }),
  cloudEvents: Type.Boolean({ description: 'Deliveries have CloudEvents headers (ce-id, ce-type and so on)' }),
  ordered: Type.Boolean({
    description:
      'Send events of the same location, else of the same business, in the order of their ids, one at a time. A failing event holds back the later ones until it is delivered or discarded',
  }),
};

const maxTypes = eventTypeNames.length;
export const EventTypesField = Type.Array(EventTypeField, { minItems: 1, maxItems: maxTypes, uniqueItems: true });

/** Of one partner. Workers search all webhooks with due deliveries several times per second. */
export const maxWebhooks = 1000;

export const NewWebhook = Type.Object(
  {
    pushUrl,
    type: Type.Optional(EventTypeField),
    types: Type.Optional({
      ...EventTypesField,
      description: 'Instead of type: creates one webhook per type, with the same secret and settings',
    }),
    description: Type.Optional(description),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    includeChildren: Type.Optional(includeChildren),
    ...Type.Partial(Type.Object({ ...optionalSettings, ...flags })).properties,
    salesPartnerId: Type.Optional(Id),
  },
  { if: { required: ['types'] }, else: { required: ['type'] } },
);

export const WebhookChange = Type.Object({
  pushUrl: Type.Optional(pushUrl),
  type: Type.Optional(EventTypeField),
  description: deletableField(description),
  enabled: Type.Optional(Type.Boolean()),
  includeChildren: Type.Optional(includeChildren),
  ...deletableFields({ ...optionalSettings, headers: HeadersChange }),
  ...Type.Partial(Type.Object(flags)).properties,
});

const WebhookHealth = Type.Object({
  state: Type.Enum(['HEALTHY', 'FAILING', 'PAUSED', 'OFF']),
  since: Type.Optional(Type.String({ description: 'Time of the first consecutive failure' })),
  consecutiveFailures: Type.Integer(),
  pausedUntil: Type.Optional(Type.String({ description: 'Deliveries wait until then without using up attempts' })),
  lastError: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String({ description: 'Why the webhook is disabled' })),
});

export const WebhookResponse = Type.Object({
  id: Type.Integer(),
  pushUrl: Type.String({ description: 'Without user name and password' }),
  hasCredentials: Type.Optional(
    Type.Boolean({ description: 'For a queue: true if a user name, password, token or access key is saved' }),
  ),
  type: EventTypeField,
  description: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  includeChildren: Type.Boolean(),
  retrySchedule: Type.Optional(Type.Array(Type.Integer())),
  filter: Type.Optional(FilterField),
  filterText: Type.Optional(Type.String({ description: 'The filter as a sentence' })),
  headerNames: Type.Optional(Type.Array(Type.String(), { description: 'Names of the custom headers' })),
  oauth: Type.Optional(OAuthField),
  clientCertificate: Type.Optional(ClientCertificateResponse),
  maxPerSecond: Type.Optional(optionalSettings.maxPerSecond),
  timeoutSeconds: Type.Optional(optionalSettings.timeoutSeconds),
  cloudEvents: flags.cloudEvents,
  publicKeysPath: Type.Optional(
    Type.String({ description: 'With asymmetricSignature: path of the public keys, as a JSON Web Key Set' }),
  ),
  ordered: flags.ordered,
  salesPartnerId: Type.Integer(),
  health: WebhookHealth,
  previousSecretSignsUntil: Type.Optional(
    Type.String({ description: 'During a secret rotation: the previous secret also signs until then' }),
  ),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

/** The types to subscribe to: either `type` or `types` must be given. */
export function newTypes({ type, types }: Pick<Static<typeof NewWebhook>, 'type' | 'types'>): readonly EventTypeName[] {
  if (type && types) throw invalidField('types', 'exclusive', 'Set either type or types, not both.');
  if (types) return types;
  if (type) return [type];
  throw missingField('type', `type is required: one of ${eventTypeNames.join(', ')}. For several, set types instead.`);
}

export const newSettings = (
  body: Omit<Static<typeof NewWebhook>, 'types'> & Pick<WebhookSettings, 'type'>,
): WebhookSettings => changedSettings({ ...defaultSettings, pushUrl: body.pushUrl, type: body.type }, body).settings;

/**
 * The settings after a change. `resetsHealth`: the webhook was enabled or its push URL changed, so that previous failures
 * no longer count.
 */
export function changedSettings(
  webhook: WebhookSettings,
  change: Static<typeof WebhookChange>,
): { settings: WebhookSettings; resetsHealth: boolean } {
  const { description, filter, oauth, clientCertificate, ...plain } = change;
  const after = { ...webhook, ...plain };
  const settings = {
    ...pickSettings(after),
    pushUrl: withoutCredentials(after.pushUrl),
    description: changed(webhook.description, description) ?? '',
    filter: changedFilter(webhook.filter, filter, after.type),
    oauth: changed(webhook.oauth, oauth && clientOf(oauth)),
    clientCertificate: changed(webhook.clientCertificate, clientCertificate && readCertificate(clientCertificate)),
  };
  // A push URL with credentials counts as new: the previous ones may have caused the failures.
  const hasNewTarget = change.pushUrl !== undefined && change.pushUrl !== webhook.pushUrl;
  return { settings, resetsHealth: change.enabled === true || hasNewTarget };
}

const settingNames = ['pushUrl', 'type', ...Object.keys(defaultSettings)] as (keyof WebhookSettings)[];

const pickSettings = (webhook: WebhookSettings): WebhookSettings =>
  Object.fromEntries(settingNames.map((name) => [name, webhook[name]])) as WebhookSettings;

/** Null deletes the value. */
const changed = <T>(before: T, change: T | undefined): T => (change === undefined ? before : change);

/** Throws if the filter, new or not, does not fit the event type. */
function changedFilter(filter: Filter | null, change: object | null | undefined, type: EventTypeName): Filter | null {
  const wanted = changed<object | null>(filter, change);
  return wanted && checkFilter(wanted, [type]);
}

export function webhookResponse(webhook: Webhook, now: Date): Static<typeof WebhookResponse> {
  const { previousSecretSignsUntil: until } = webhook;
  return recordResponse(WebhookResponse, {
    ...webhook,
    description: webhook.description || null,
    salesPartnerId: webhook.partnerId,
    health: healthOf(webhook, now),
    filterText: webhook.filter && filterText(webhook.filter),
    clientCertificate: webhook.clientCertificate && certificateResponse(webhook.clientCertificate, now),
    headerNames: webhook.headerNames.length > 0 ? webhook.headerNames : null,
    hasCredentials: webhook.hasCredentials || null,
    publicKeysPath: webhook.asymmetricSignature ? publicKeysPath(webhook.id) : null,
    previousSecretSignsUntil: until && until > now ? until : null,
  });
}

export const publicKeysPath = (id: number | string) => `/.well-known/webhook-keys/${id}`;

export function healthOf(webhook: Webhook, now: Date): Static<typeof WebhookHealth> {
  const { consecutiveFailures, failingSince, lastError, pausedUntil } = webhook;
  const failures = {
    consecutiveFailures,
    ...(failingSince && { since: failingSince.toISOString() }),
    ...(lastError && consecutiveFailures > 0 && { lastError }),
  };
  if (!webhook.enabled) {
    return { state: 'OFF', reason: webhook.disabledReason ?? 'A user disabled it.', ...failures };
  }
  if (pausedUntil && pausedUntil > now) return { state: 'PAUSED', pausedUntil: pausedUntil.toISOString(), ...failures };
  return { state: consecutiveFailures > 0 ? 'FAILING' : 'HEALTHY', ...failures };
}
