import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { DatabaseClock } from '../../database/database-clock.ts';
import type { DeliveryMetrics } from '../../telemetry/metrics.ts';
import { type FinishedAttempt, Settler } from './settler.ts';

const failing = () => {
  throw new Error('A callback failed.');
};

test.each(['onFinished', 'onSettled', 'recordSettlement'])(
  'writes each batch once if %s fails, and the next batch',
  async (callback) => {
    let written = 0;
    const callbacks = { onFinished: () => {}, onSettled: () => {}, recordSettlement: () => {}, [callback]: failing };
    const settler = new Settler({
      ...callbacks,
      database: {
        transaction: async () => {
          written += 1;
          return { healthByWebhook: new Map(), superseded: [] };
        },
      } as unknown as Database,
      metrics: callbacks as unknown as DeliveryMetrics,
      policy: { threshold: 10, firstPause: 1, maxPause: 1, maxWindow: 1 },
      clock: new DatabaseClock(),
      auditDisabled: async () => {},
      log: pino({ level: 'silent' }),
    });
    for (let batch = 1; batch <= 2; batch++) {
      settler.add({} as FinishedAttempt);
      await settler.close();
      expect(written).toBe(batch);
    }
  },
);
