import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { DeliveryMetrics } from './metrics.ts';

test('the latency is that of first attempts without replays', async () => {
  const registry = new Registry();
  const metrics = new DeliveryMetrics(registry);
  const recordedAt = new Date(Date.now() - 2000).toISOString();
  const record = (delivery: { attempts: number; replayId: number | null }) =>
    metrics.recordAttempt(
      { recordedAt, ...delivery },
      { kind: 'delivered', phases: { totalMs: 5 } },
      { state: 'DELIVERED' },
    );
  record({ attempts: 0, replayId: null });
  record({ attempts: 1, replayId: null });
  record({ attempts: 0, replayId: 7 });
  const text = await registry.metrics();
  expect(text).toContain('waypost_delivery_attempts_total{outcome="delivered"} 3');
  expect(text).toContain('waypost_delivery_latency_seconds_count 1');
});
