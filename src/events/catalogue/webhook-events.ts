import Type from 'typebox';
import { defineEventType, moment } from './event-type.ts';

export const webhookReference = {
  webhook: Type.Integer({ minimum: 1, description: 'Id of the webhook.' }),
  webhookType: Type.String({ minLength: 1, description: 'Event type that the webhook is subscribed to.' }),
  comment: Type.String({ description: 'What happened, with the last error or the reason.' }),
  since: moment('When the problem began, in the format of time.'),
};

const webhookFailing = defineEventType({
  type: 'WEBHOOK_FAILING',
  summary: 'Deliveries of a webhook are failing or paused, or it will be disabled soon.',
  fields: {
    ...webhookReference,
    cause: Type.Enum(['FAILING', 'PAUSED', 'DISABLED_SOON'], {
      title: 'WebhookFailingCause',
      description: 'At most one event per webhook, cause and hour is recorded.',
    }),
    disablesAt: Type.Optional(
      moment('When the webhook is disabled if all deliveries keep failing. Absent if that is never.'),
    ),
  },
  example: {
    webhook: 41,
    webhookType: 'LOCATION_CREATED',
    comment: 'Deliveries are failing. The receiver responded with status 503.',
    since: '2026-11-15T00:54:11.020+00:00',
    cause: 'FAILING',
    disablesAt: '2026-11-20T00:54:11.020+00:00',
  },
});

const webhookRecovered = defineEventType({
  type: 'WEBHOOK_RECOVERED',
  summary: 'A failing or disabled webhook delivers again, or a user enabled, resumed or changed it.',
  fields: webhookReference,
  example: {
    webhook: 41,
    webhookType: 'LOCATION_CREATED',
    comment: 'Deliveries succeed again.',
    since: '2026-11-15T00:54:11.020+00:00',
  },
});

const webhookDisabled = defineEventType({
  type: 'WEBHOOK_DISABLED',
  summary: 'A webhook was disabled because its receiver responded with 410 or all deliveries failed for days.',
  fields: webhookReference,
  example: {
    webhook: 41,
    webhookType: 'LOCATION_CREATED',
    comment: 'The webhook is disabled. The receiver responded with 410 Gone.',
    since: '2026-11-15T00:54:11.020+00:00',
  },
});

export const webhookEvents = [webhookFailing, webhookRecovered, webhookDisabled] as const;
