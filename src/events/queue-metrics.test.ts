import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { registerQueueMetrics } from './queue-metrics.ts';

let database: Database;
const registry = new Registry();

beforeAll(async () => {
  database = await createTestDatabase();
  registerQueueMetrics(registry, database.pool);
  await database.pool.query(`
    insert into sales_partners (id, identifier, name, api_version, lineage, public_key)
      values (1, 'one', 'One', '20260713', '{1}', 'pk');
    insert into webhooks (id, partner_id, type, push_url, secret)
      select n, 1, 'LOCATION_CREATED', 'https://receiver.example/' || n, '' from generate_series(1, 3) as n;
    insert into webhook_health (webhook_id, send_window, trips, open_until)
      values (1, 8, 0, null), (2, 8, 1, now() - interval '1 s'), (3, 8, 1, now() + interval '1 h');
    insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
      values (1, 1, now() - interval '1 day', 0, now() - interval '90 s', 0, 0), (2, 1, now(), 0, now(), 0, 0),
             (1, 2, now(), 1, now() + interval '1 h', 1, 1), (1, 3, now(), 1, now() - interval '2 h', 1, 1)`);
});

afterAll(() => database.close());

const figure = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );

test('reports queue depth per lane, age of the oldest delivery and breaker states', async () => {
  const text = await registry.metrics();
  expect(figure(text, 'waypost_queue_depth{lane="first"}')).toBe(2);
  expect(figure(text, 'waypost_queue_depth{lane="retry"}')).toBe(2);
  expect(figure(text, 'waypost_queue_depth{lane="replay"}')).toBe(0);
  // What an open breaker holds back is not late: only the first webhook's row counts.
  expect(figure(text, 'waypost_queue_oldest_due_seconds')).toBeGreaterThanOrEqual(90);
  expect(figure(text, 'waypost_queue_oldest_due_seconds')).toBeLessThan(600);
  expect(figure(text, 'waypost_queue_oldest_seconds')).toBeGreaterThanOrEqual(86_400);
  expect(figure(text, 'waypost_breakers{state="closed"}')).toBe(1);
  expect(figure(text, 'waypost_breakers{state="probing"}')).toBe(1);
  expect(figure(text, 'waypost_breakers{state="open"}')).toBe(1);
});

test('serves metrics during a database outage', async () => {
  const away = new Registry();
  registerQueueMetrics(away, { query: () => Promise.reject(new Error('away')) } as unknown as Database['pool']);
  expect(await away.metrics()).toContain('waypost_queue_depth');
});
