import {
  type EventTypeName,
  eventJsonSchema,
  eventTypeNames,
  eventTypes,
  exampleEvent,
} from '../../events/catalogue/catalogue.ts';
import { canonicalJson } from '../../events/signing/canonical-json.ts';
import { eventKey, signEvent } from '../../events/signing/signature.ts';
import { testVector } from '../docs/test-vector.ts';
import type { Schema } from './route-record.ts';

export const eventsTag = {
  name: 'Webhook events',
  description: 'What Waypost sends to the pushUrl of a webhook. The guide at /docs/receiving shows how to verify it.',
};

export const deliveryHeaders = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    schema: {
      type: 'string',
      description: 'The id of the event: the same for every attempt, so that duplicates can be dropped',
    },
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    schema: { type: 'string', description: 'When the attempt was sent, in seconds since 1970' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    schema: {
      type: 'string',
      description: 'Standard Webhooks signatures by the secret of the webhook, separated by spaces: v1,<Base64>',
    },
  },
} as const;

export const deliveryResponses = {
  Delivered: { description: 'Any 2xx status within 15 seconds: the delivery has succeeded', content: {} },
  DisablesWebhook: { description: 'The webhook is disabled and gets no further events', content: {} },
};

/** `ListingUpdateEvent` */
const schemaName = (type: EventTypeName) =>
  `${type.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The schema of every event by its name. Further fields may come at any time, in every version. */
export const eventSchemas: Record<string, Schema> = Object.fromEntries(
  eventTypeNames.map((type) => {
    const { $schema: _, ...schema } = eventJsonSchema(type);
    return [schemaName(type), { ...schema, title: schemaName(type) } as unknown as Schema];
  }),
);

/** One entry for each event type: the request that a receiver gets. */
export const eventWebhooks = Object.fromEntries(
  eventTypeNames.map((type) => {
    const event = exampleEvent(type);
    const signature = signEvent(eventKey(testVector.privateKey), canonicalJson(event));
    return [
      type,
      {
        post: {
          operationId: `on${schemaName(type).replace(/Event$/, '')}`,
          summary: eventTypes[type].summary,
          description:
            'Respond with any 2xx status within 15 seconds; every other response is retried. 410 disables the webhook.',
          tags: [eventsTag.name],
          parameters: Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['event', 'signature'],
                  properties: {
                    event: { $ref: `#/components/schemas/${schemaName(type)}` },
                    signature: {
                      type: 'string',
                      description: 'Base64 of HMAC-SHA256 over the text of event, by the private key of the partner',
                    },
                  },
                },
                examples: { example: { value: { event, signature } } },
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
    ];
  }),
);
