import { expect, test } from 'vitest';
import { isSettled } from './trigger.ts';

test.for([
  [undefined, false],
  [[], false],
  [['DELIVERED', 'WAITING'], false],
  [['SKIPPED', 'RETRYING'], false],
  [['DELIVERED', 'SKIPPED', 'DISCARDED', 'CANCELLED'], true],
] as const)('deliveries %j are settled: %s', ([states, settled]) => {
  expect(isSettled(states?.map((state) => ({ state })))).toBe(settled);
});
