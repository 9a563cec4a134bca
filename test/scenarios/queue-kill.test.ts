import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testBrokers } from '../support/brokers.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import type { TestBroker } from '../support/test-broker.ts';

const totalEvents = 20_000;
const perTransaction = 1000;
/** Events that are settled when the broker is killed. */
const kills = [4000, 12_000];
const testMs = 600_000;

/** Quick retries, and enough of them that no delivery is discarded while the broker starts. */
const settings = {
  retrySchedule: Array(200).fill(1),
  breakerFirstPause: 1,
  breakerMaxPause: 2,
  deliveryTimeoutMs: 5000,
};

// ElasticMQ stores messages in memory only.
describe.each(testBrokers.filter(({ name }) => name !== 'ElasticMQ (SQS)'))('$name', ({ isInstalled, create }) => {
  let broker: TestBroker;

  if (isInstalled) {
    beforeAll(async () => {
      broker = await create();
      await broker.start();
    }, testMs);
    afterAll(() => broker.stop(), testMs);
  }

  test.skipIf(!isInstalled)(
    `killing the broker during ${totalEvents} events loses none`,
    { timeout: testMs },
    async () => {
      const scene = await DeliveryScene.open();
      const queue = 'events';
      await broker.create(queue);
      const webhook = await scene.webhook(broker.url(queue));
      scene.worker(settings);
      const recorded: number[] = [];
      const settled = async () => recorded.length - (await scene.depth(webhook));
      const untilSettled = (count: number) =>
        expect.poll(settled, { timeout: testMs, interval: 50 }).toBeGreaterThanOrEqual(count);
      const record = async () => {
        while (recorded.length < totalEvents) recorded.push(...(await scene.record(perTransaction)));
      };
      const kill = async () => {
        for (const count of kills) {
          await untilSettled(count);
          await broker.kill();
          await broker.start();
        }
      };
      await Promise.all([record(), kill()]);
      await untilSettled(totalEvents);
      const stored = (await broker.read(queue)).map(({ body }) => JSON.parse(body).event.id as number);
      expect([...new Set(stored)].sort((a, b) => a - b)).toEqual(recorded.sort((a, b) => a - b));
      const verdicts = new Set(await scene.verdicts(webhook));
      expect(verdicts).toEqual(new Set(['DELIVERED', 'RETRY']));
    },
  );
});
