import { type EventTypeName, eventTypeNames, eventTypes } from '../../events/catalogue/catalogue.ts';
import {
  deliveryHeaders,
  deliverySchema,
  eventSchemas,
  exampleDelivery,
  requestDescription,
  schemaName,
  signedDelivery,
  testVector,
} from '../openapi/event-webhooks.ts';
import { newestVersion } from '../versions/timeline.ts';

const bindingVersion = '0.3.0';

const headerSchemas = Object.values(deliveryHeaders).map(({ name, schema }) => [name, schema]);

const cloudEventHeader = (description: string) => ({
  type: 'string',
  description: `${description}. Only of webhooks with cloudEvents`,
});

const cloudEventHeaders = {
  'ce-specversion': cloudEventHeader('Version of CloudEvents: 1.0'),
  'ce-id': cloudEventHeader('The id of the event'),
  'ce-type': cloudEventHeader('The event type'),
  'ce-source': cloudEventHeader('/sales-partners/ and the identifier of the partner, percent-encoded'),
  'ce-time': cloudEventHeader('The time of the event'),
  'ce-subject': cloudEventHeader('The record that the event is about, such as locations/51877'),
};

const headers = {
  type: 'object',
  description: 'A webhook can have headers of its own, which are sent too.',
  required: Object.values(deliveryHeaders).map(({ name }) => name),
  properties: {
    ...Object.fromEntries(headerSchemas),
    'waypost-test': {
      type: 'string',
      const: 'true',
      description: 'Only in test deliveries, which send the example of the event type',
    },
    ...cloudEventHeaders,
  },
};

/** `LocationCreated` */
const messageName = (type: EventTypeName) => schemaName(type).replace(/Event$/, '');

const message = (type: EventTypeName) => ({
  name: type,
  title: messageName(type),
  summary: eventTypes[type].summary,
  traits: [{ $ref: '#/components/messageTraits/delivery' }],
  payload: deliverySchema(type),
  examples: [{ name: 'example', headers: testVector.headers, payload: exampleDelivery(type) }],
});

const operation = (type: EventTypeName) => ({
  action: 'send',
  title: messageName(type),
  summary: eventTypes[type].summary,
  description: requestDescription,
  channel: { $ref: '#/channels/destination' },
  messages: [{ $ref: `#/channels/destination/messages/${type}` }],
  traits: [{ $ref: '#/components/operationTraits/webhook' }],
});

const byType = <T>(keyOf: (type: EventTypeName) => string, entryOf: (type: EventTypeName) => T) =>
  Object.fromEntries(eventTypeNames.map((type) => [keyOf(type), entryOf(type)]));

/** Deliveries to webhooks as AsyncAPI 3. Waypost is the application: it sends, receivers of partners receive. */
export const asyncApiDocument = () => ({
  asyncapi: '3.0.0',
  id: 'urn:waypost:events',
  info: {
    title: 'Waypost events',
    version: `_${newestVersion}`,
    description:
      'Events that Waypost delivers to webhooks, at least once and in any order. New fields can be added at any time. ' +
      'Create webhooks with POST /api/sales-partners/webhooks. /docs/receiving explains how to verify a delivery.',
    contact: { name: 'Waypost' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    tags: [{ name: 'webhooks', description: 'Deliveries to the pushUrl of a webhook' }],
  },
  defaultContentType: 'application/json',
  servers: {
    receiver: {
      host: '{host}',
      protocol: 'https',
      description: 'The host of the pushUrl of a webhook. http is possible unless the installation requires https.',
      variables: { host: { description: 'Host and port', default: 'receiver.example' } },
      security: [{ $ref: '#/components/securitySchemes/webhookSignature' }],
    },
  },
  channels: {
    destination: {
      address: '/{path}',
      title: 'Destination',
      description: 'The pushUrl of one or more webhooks. A webhook has one event type; several can share a URL.',
      servers: [{ $ref: '#/servers/receiver' }],
      parameters: { path: { description: 'Path and query of the pushUrl', default: 'hook' } },
      messages: byType(
        (type) => type,
        (type) => ({ $ref: `#/components/messages/${type}` }),
      ),
    },
  },
  operations: byType((type) => `send${messageName(type)}`, operation),
  components: {
    messages: byType((type) => type, message),
    schemas: { SignedDelivery: signedDelivery, ...eventSchemas },
    messageTraits: {
      delivery: {
        contentType: 'application/json',
        headers,
        correlationId: {
          description: 'The id of the event, the same for every attempt: use it to drop duplicates',
          location: '$message.header#/webhook-id',
        },
        bindings: { http: { headers, bindingVersion } },
      },
    },
    operationTraits: {
      webhook: {
        bindings: { http: { method: 'POST', bindingVersion } },
        security: [{ $ref: '#/components/securitySchemes/webhookSignature' }],
      },
    },
    securitySchemes: {
      webhookSignature: {
        type: 'httpApiKey',
        in: 'header',
        name: 'webhook-signature',
        description:
          'HMAC-SHA256 of webhook-id, webhook-timestamp and the body, joined by full stops, with the secret of the ' +
          'webhook, as in Standard Webhooks. The signature in the body is an HMAC-SHA256 of the text of event with the ' +
          'private key of the partner. A webhook with asymmetricSignature also has a v1a signature: Ed25519 of the same ' +
          'text as the HMAC, with the public keys at /.well-known/webhook-keys/{id of the webhook}. Reject a delivery if ' +
          'a signature is invalid or the timestamp is older than five minutes.',
      },
    },
  },
});
