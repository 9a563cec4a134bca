import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import type { Database } from '../../database/connection.ts';
import { consumeHourlyQuota } from './hourly-quota.ts';

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const quota = (whom: string, most = 10) => ({ what: 'texts', whom, most });
const take = (whom: string, count: number, at: string) =>
  consumeHourlyQuota(database.pool, quota(whom), count, new Date(at));

test('concurrent requests do not exceed the limit', async () => {
  const now = new Date();
  const tries = Array.from({ length: 30 }, () => consumeHourlyQuota(database.pool, quota('many'), 1, now));
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
});

test('consumes nothing if the whole count exceeds the limit', async () => {
  await take('one', 7, '2026-11-15T08:10:00Z');
  await expect(take('one', 4, '2026-11-15T08:20:00Z')).rejects.toThrow('More than 10 texts within an hour');
  await take('one', 3, '2026-11-15T08:30:00Z');
  await expect(take('another', 11, '2026-11-15T08:30:00Z')).rejects.toThrow();
  await take('another', 10, '2026-11-15T08:30:00Z');
});

test('resets every clock hour and returns Retry-After', async () => {
  await take('hourly', 10, '2026-11-15T08:59:00Z');
  await expect(take('hourly', 1, '2026-11-15T08:59:15Z')).rejects.toMatchObject({
    status: 'QUOTA_LIMIT_EXCEED',
    headers: { 'retry-after': '45' },
  });
  await take('hourly', 10, '2026-11-15T09:00:00Z');
});
