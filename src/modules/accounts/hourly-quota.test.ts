import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import type { Database } from '../../database/connection.ts';
import { consumeHourlyQuota } from './hourly-quota.ts';

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const quota = (consumer: string, limit = 10) => ({ resource: 'texts', consumer, limit });
const consume = (consumer: string, count: number, at: string) =>
  consumeHourlyQuota(database.pool, quota(consumer), count, new Date(at));

test('concurrent requests do not exceed the limit', async () => {
  const now = new Date();
  const attempts = Array.from({ length: 30 }, () => consumeHourlyQuota(database.pool, quota('many'), 1, now));
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
});

test('consumes nothing if the whole count exceeds the limit', async () => {
  await consume('one', 7, '2026-11-15T08:10:00Z');
  await expect(consume('one', 4, '2026-11-15T08:20:00Z')).rejects.toThrow('The limit of 10 texts per hour is reached');
  await consume('one', 3, '2026-11-15T08:30:00Z');
  await expect(consume('another', 11, '2026-11-15T08:30:00Z')).rejects.toThrow();
  await consume('another', 10, '2026-11-15T08:30:00Z');
});

test('resets every clock hour and returns Retry-After', async () => {
  await consume('hourly', 10, '2026-11-15T08:59:00Z');
  await expect(consume('hourly', 1, '2026-11-15T08:59:15Z')).rejects.toMatchObject({
    status: 'QUOTA_LIMIT_EXCEED',
    headers: { 'retry-after': '45' },
  });
  await consume('hourly', 10, '2026-11-15T09:00:00Z');
});
