import { describe, expect, test } from 'vitest';
import { changedSettings, healthOf, type Webhook } from './webhook.ts';

const now = new Date('2026-11-15T12:00:00Z');
const webhook: Webhook = {
  id: 1,
  partnerId: 1,
  pushUrl: 'https://example.com/a',
  type: 'LOCATION_CREATED',
  description: 'The warehouse',
  enabled: true,
  includeChildren: true,
  retrySchedule: [5, 60],
  filter: null,
  oauth: null,
  clientCertificate: null,
  maxPerSecond: null,
  timeoutSeconds: null,
  asymmetricSignature: false,
  cloudEvents: false,
  ordered: false,
  headerNames: [],
  hasCredentials: false,
  disabledReason: null,
  dateCreated: now,
  lastUpdated: now,
  consecutiveFailures: 0,
  failingSince: null,
  pausedUntil: null,
  previousSecretSignsUntil: null,
  lastError: null,
};
const failing = {
  ...webhook,
  consecutiveFailures: 3,
  failingSince: new Date('2026-11-15T11:00:00Z'),
  lastError: 'It responded with 500.',
};

describe('health', () => {
  test('is HEALTHY without consecutive failures, regardless of older errors', () => {
    expect(healthOf({ ...webhook, lastError: 'Long ago' }, now)).toEqual({ state: 'HEALTHY', consecutiveFailures: 0 });
  });

  test('includes start and last error of consecutive failures', () => {
    expect(healthOf(failing, now)).toEqual({
      state: 'FAILING',
      since: '2026-11-15T11:00:00.000Z',
      consecutiveFailures: 3,
      lastError: 'It responded with 500.',
    });
  });

  test('is PAUSED while the breaker is open, then FAILING until a probe succeeds', () => {
    const pausedUntil = new Date('2026-11-15T12:00:30Z');
    expect(healthOf({ ...failing, pausedUntil }, now)).toMatchObject({
      state: 'PAUSED',
      pausedUntil: '2026-11-15T12:00:30.000Z',
    });
    const after = healthOf({ ...failing, pausedUntil }, pausedUntil);
    expect(after).toMatchObject({ state: 'FAILING' });
    expect(after).not.toHaveProperty('pausedUntil');
  });

  test('includes the reason of a disabled webhook', () => {
    const gone = { ...webhook, enabled: false, disabledReason: 'The receiver responded with 410 Gone.' };
    expect(healthOf(gone, now)).toMatchObject({ state: 'OFF', reason: 'The receiver responded with 410 Gone.' });
    expect(healthOf({ ...webhook, enabled: false }, now)).toMatchObject({
      state: 'OFF',
      reason: 'A user disabled it.',
    });
  });
});

describe('a change', () => {
  test('keeps omitted fields and clears null fields', () => {
    expect(changedSettings(webhook, { description: null }).settings).toEqual({
      oauth: null,
      clientCertificate: null,
      maxPerSecond: null,
      timeoutSeconds: null,
      asymmetricSignature: false,
      cloudEvents: false,
      ordered: false,
      pushUrl: webhook.pushUrl,
      type: webhook.type,
      description: '',
      enabled: true,
      includeChildren: true,
      retrySchedule: [5, 60],
      filter: null,
    });
    expect(changedSettings(webhook, { retrySchedule: null }).settings.retrySchedule).toBeNull();
  });

  test('resets the health when the webhook is enabled or its URL changes', () => {
    expect(changedSettings(webhook, { enabled: true }).resetsHealth).toBe(true);
    expect(changedSettings(webhook, { pushUrl: 'https://example.com/b' }).resetsHealth).toBe(true);
    expect(changedSettings(webhook, { pushUrl: webhook.pushUrl, description: 'x' }).resetsHealth).toBe(false);
    expect(changedSettings(webhook, { enabled: false }).resetsHealth).toBe(false);
  });
});
