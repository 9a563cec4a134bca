import { expect, test } from 'vitest';
import { FilterCache, type FinderFilter } from './finder-filters.ts';
import type { StoreFinder } from './store-finder.ts';

const finder: StoreFinder = {
  id: 1,
  partnerId: 1,
  storeKey: 'sf_1',
  name: 'Our shops',
  businessIds: [],
  labelIds: [],
  settings: {},
  dateCreated: new Date(0),
  lastUpdated: new Date(0),
};
const filter = (name: string): FinderFilter[] => [{ kind: 'labels', name, translations: {}, values: [] }];

/** Filters named by the number of the read. */
function counting() {
  const readings: { finish(): void; fail(): void }[] = [];
  const memory = new FilterCache(() => {
    const { promise, resolve, reject } = Promise.withResolvers<FinderFilter[]>();
    const name = String(readings.length + 1);
    readings.push({ finish: () => resolve(filter(name)), fail: () => reject(new Error('away')) });
    return promise;
  });
  return { memory, readings };
}

test('reads once per minute', async () => {
  const { memory, readings } = counting();
  const asked = [memory.of(finder, 0), memory.of(finder, 1), memory.of(finder, 59_999)];
  readings[0]?.finish();
  for (const filters of await Promise.all(asked)) expect(filters).toEqual(filter('1'));
  expect(readings).toHaveLength(1);
});

test('serves cached filters while refreshing', async () => {
  const { memory, readings } = counting();
  const first = memory.of(finder, 0);
  readings[0]?.finish();
  await first;
  expect(await memory.of(finder, 60_000)).toEqual(filter('1'));
  expect(await memory.of(finder, 60_001)).toEqual(filter('1'));
  expect(readings).toHaveLength(2);
  readings[1]?.finish();
  await expect.poll(() => memory.of(finder, 60_002)).toEqual(filter('2'));
});

test('keeps a finder in use among a thousand others', async () => {
  let readings = 0;
  const memory = new FilterCache(async (read) => {
    if (read.id === finder.id) readings += 1;
    return filter('any');
  });
  for (let n = 0; n <= 1000; n += 1) {
    await memory.of(finder, n);
    await memory.of({ ...finder, id: 2 + n }, n);
  }
  expect(readings).toBe(1);
});

test('does not serve filters older than ten minutes or of an older finder', async () => {
  const { memory, readings } = counting();
  const first = memory.of(finder, 0);
  readings[0]?.finish();
  await first;
  const later = memory.of(finder, 600_000);
  readings[1]?.finish();
  expect(await later).toEqual(filter('2'));
  const changed = memory.of({ ...finder, lastUpdated: new Date(1) }, 600_001);
  readings[2]?.finish();
  expect(await changed).toEqual(filter('3'));
});

test('retries after a failed read', async () => {
  const { memory, readings } = counting();
  const first = memory.of(finder, 0);
  readings[0]?.fail();
  await expect(first).rejects.toThrow('away');
  const second = memory.of(finder, 1);
  readings[1]?.finish();
  expect(await second).toEqual(filter('2'));
});
