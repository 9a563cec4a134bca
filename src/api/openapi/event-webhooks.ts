import {
  type EventTypeName,
  eventJsonSchema,
  eventTypeNames,
  eventTypes,
  exampleEvent,
} from '../../events/catalogue/catalogue.ts';
import { canonicalJson } from '../../events/signing/canonical-json.ts';
import { deliveryBody, eventKey, signEvent, standardKey, standardSignature } from '../../events/signing/signature.ts';
import type { Schema } from '../../json-schema.ts';

const privateKey = 'wp_test_5vT2kQ9mZ4rX7bN1cL8dF3gH6jK0pS';
const secret = 'whsec_d2F5cG9zdC10ZXN0LXZlY3Rvci1zZWNyZXQtMDEyMw==';
const event = {
  ...exampleEvent('LOCATION_PROFILE_CHANGED'),
  // Characters that JSON libraries serialize differently: non-ASCII letters, a slash, HTML characters, quotes.
  comment: 'Geändert: Öffnungszeiten 🕗, Straße/Hausnummer <12> & "Eingang"',
};
const timestamp = 1_794_704_523;

const eventText = canonicalJson(event);
const signature = signEvent(eventKey(privateKey), eventText);
const body = deliveryBody(eventText, signature);

/** A delivery with its keys, for authors of receivers. Published, so it must not change. */
export const testVector = {
  privateKey,
  secret,
  body,
  eventText,
  signature,
  event,
  headers: {
    'webhook-id': String(event.id),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(standardKey(secret), String(event.id), timestamp, body),
  },
};

export const eventsTag = {
  name: 'Webhook events',
  description: 'Requests to the pushUrl of a webhook. /docs/receiving explains how to verify them.',
};

const header = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  required: true,
  schema: { type: 'string', description },
});

export const deliveryHeaders = {
  WebhookId: header('webhook-id', 'The id of the event. It is the same for every attempt: use it to drop duplicates.'),
  WebhookTimestamp: header('webhook-timestamp', 'Time of the attempt, in seconds since 1970'),
  WebhookSignature: header(
    'webhook-signature',
    'Standard Webhooks signatures with the secret of the webhook, separated by spaces: v1,<Base64>',
  ),
};

export const deliveryResponses = {
  Delivered: { description: 'Any 2xx status within 15 seconds: delivered', content: {} },
  DisablesWebhook: { description: 'Disables the webhook', content: {} },
};

/** `ListingUpdateEvent` */
export const schemaName = (type: EventTypeName) =>
  `${type.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** Event schemas by name. New fields can be added at any time, in every version. */
export const eventSchemas: Record<string, Schema> = Object.fromEntries(
  eventTypeNames.map((type) => {
    const { $schema: _, ...schema } = eventJsonSchema(type);
    return [schemaName(type), { ...schema, title: schemaName(type) } as unknown as Schema];
  }),
);

export const signedDelivery: Schema = {
  type: 'object',
  title: 'SignedDelivery',
  description: 'The signature in the body of a delivery, next to the event',
  required: ['signature'],
  properties: {
    signature: { type: 'string', description: 'Base64(HMAC-SHA256(private key of the partner, text of event))' },
  },
};

export const requestDescription =
  'Respond with any 2xx status within 15 seconds; every other response is retried. 410 disables the webhook.';

/** The body of a delivery. */
export const deliverySchema = (type: EventTypeName) => ({
  allOf: [
    { $ref: '#/components/schemas/SignedDelivery' },
    {
      type: 'object',
      required: ['event'],
      properties: { event: { $ref: `#/components/schemas/${schemaName(type)}` } },
    },
  ],
});

/** A body, signed with the private key of the test vector. */
export function exampleDelivery(type: EventTypeName) {
  const event = exampleEvent(type);
  return { event, signature: signEvent(eventKey(testVector.privateKey), canonicalJson(event)) };
}

/** The request to a receiver, by event type. */
export const eventWebhooks = Object.fromEntries(
  eventTypeNames.map((type) => [
    type,
    {
      post: {
        operationId: `on${schemaName(type).replace(/Event$/, '')}`,
        summary: eventTypes[type].summary,
        description: requestDescription,
        tags: [eventsTag.name],
        parameters: Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: deliverySchema(type),
              examples: { example: { value: exampleDelivery(type) } },
            },
          },
        },
        responses: {
          200: { $ref: '#/components/responses/Delivered' },
          410: { $ref: '#/components/responses/DisablesWebhook' },
        },
        security: [],
      },
    },
  ]),
);
