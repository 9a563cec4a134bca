import { describe, expect, test } from 'vitest';
import type { AttemptSummary } from './attempt.ts';
import { type DeliveryResult, explain, type PastWebhook, summarize, type WebhookMatch } from './event.ts';

const past: PastWebhook = {
  type: 'LOCATION_CREATED',
  enabled: true,
  includeChildren: true,
  deleted: false,
  filter: null,
  matches: true,
};
const filter = { field: 'source', equals: 'API' };
const webhook = { partnerId: 1, type: 'LOCATION_CREATED', deleted: false };
const meeting: WebhookMatch = {
  event: { type: 'LOCATION_CREATED', partnerId: 1 },
  webhook,
  past,
  delivery: null,
};
const attempt = (verdict: AttemptSummary['verdict']) => ({ verdict }) as AttemptSummary;

describe('skip reasons', () => {
  test.each<[string, Partial<WebhookMatch>]>([
    ['CREATED_LATER', { past: null }],
    ['WAS_DELETED', { past: { ...past, deleted: true }, webhook: { ...webhook, deleted: true } }],
    ['OTHER_TYPE', { past: { ...past, type: 'BUSINESS_CREATED' } }],
    ['WAS_OFF', { past: { ...past, enabled: false } }],
    ['CHILDREN_EXCLUDED', { past: { ...past, includeChildren: false }, webhook: { ...webhook, partnerId: 2 } }],
    ['FILTERED', { past: { ...past, filter, matches: false } }],
    ['FILTERED', { past: { ...past, filter, matches: true } }],
    ['FILTERED', { past: { ...past, filter, matches: false }, webhook: { ...webhook, deleted: true } }],
    ['JUST_CHANGED', {}],
  ])('because of %s', (reason, facts) => {
    expect(explain({ ...meeting, ...facts })).toEqual({ state: 'SKIPPED', reason });
  });

  test('do not apply to the own events of a webhook that excludes children', () => {
    expect(explain({ ...meeting, past: { ...past, includeChildren: false } })).not.toMatchObject({
      reason: 'CHILDREN_EXCLUDED',
    });
  });

  test('CANCELLED if the webhook was deleted before the delivery', () => {
    const deleted = { ...webhook, deleted: true };
    expect(explain({ ...meeting, webhook: deleted })).toEqual({ state: 'CANCELLED' });
    const delivery = { dueAt: new Date(), tries: 1, lastAttempt: attempt('RETRY') };
    expect(explain({ ...meeting, webhook: deleted, delivery })).toEqual({ state: 'CANCELLED' });
  });

  test('CANCELLED if the webhook changed its type before the delivery', () => {
    const moved = { ...webhook, type: 'BUSINESS_CREATED' };
    expect(explain({ ...meeting, webhook: moved })).toEqual({ state: 'CANCELLED' });
    const delivery = { dueAt: null, tries: 0, lastAttempt: attempt('RETRY') };
    expect(explain({ ...meeting, webhook: moved, delivery })).toEqual({ state: 'CANCELLED' });
  });
});

test.each([
  ['WAITING', { dueAt: new Date(), tries: 0, lastAttempt: null }],
  ['RETRYING', { dueAt: new Date(), tries: 1, lastAttempt: attempt('RETRY') }],
  ['WAITING', { dueAt: new Date(), tries: 0, lastAttempt: attempt('DISCARDED') }],
  ['DELIVERED', { dueAt: null, tries: 0, lastAttempt: attempt('DELIVERED') }],
  ['DISCARDED', { dueAt: null, tries: 0, lastAttempt: attempt('DISCARDED') }],
])('a delivery is %s regardless of the past settings of the webhook', (state, delivery) => {
  expect(explain({ ...meeting, delivery, past: null })).toEqual({ state });
});

describe('summary', () => {
  const skipped = (reason: Extract<DeliveryResult, { reason: unknown }>['reason']): DeliveryResult => ({
    state: 'SKIPPED',
    reason,
  });

  test.each<[string, DeliveryResult[]]>([
    ['No webhook was subscribed to LOCATION_CREATED when this event was recorded.', []],
    ['No webhook was subscribed to LOCATION_CREATED when this event was recorded.', [skipped('OTHER_TYPE')]],
    ['Not sent: 1 webhook for LOCATION_CREATED was disabled when it was recorded.', [skipped('WAS_OFF')]],
    [
      'Not sent: 2 webhooks for LOCATION_CREATED did not include child partners.',
      [skipped('CHILDREN_EXCLUDED'), skipped('CHILDREN_EXCLUDED')],
    ],
    ['Delivered to 1 webhook.', [{ state: 'DELIVERED' }, skipped('WAS_OFF')]],
    [
      'Delivered to 2 webhooks, being retried for 1 webhook, and discarded for 1 webhook.',
      [{ state: 'DISCARDED' }, { state: 'DELIVERED' }, { state: 'RETRYING' }, { state: 'DELIVERED' }],
    ],
  ])('%s', (sentence, fates) => {
    expect(summarize('LOCATION_CREATED', fates, true)).toBe(sentence);
  });

  test('makes no statement about webhooks that the caller cannot see', () => {
    expect(summarize('LOCATION_CREATED', [], false)).toBe(
      'None of your webhooks was subscribed to LOCATION_CREATED when this event was recorded.',
    );
  });
});
