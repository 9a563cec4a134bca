import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheFilters, type FinderFilter } from './finder-filters.ts';
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

let laterMs: number;
beforeEach(() => {
  laterMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Filters named by the number of the read. */
function counting() {
  const readings: { finish(): void; fail(): void }[] = [];
  const read = cacheFilters(() => {
    const { promise, resolve, reject } = Promise.withResolvers<FinderFilter[]>();
    const name = String(readings.length + 1);
    readings.push({ finish: () => resolve(filter(name)), fail: () => reject(new Error('away')) });
    return promise;
  });
  return { read, readings };
}

test('reads once per minute', async () => {
  const { read, readings } = counting();
  const asked = [read(finder), read(finder)];
  readings[0]?.finish();
  for (const filters of await Promise.all(asked)) expect(filters).toEqual(filter('1'));
  laterMs = 30_000;
  expect(await read(finder)).toEqual(filter('1'));
  expect(readings).toHaveLength(1);
});

test('serves cached filters while refreshing', async () => {
  const { read, readings } = counting();
  const first = read(finder);
  readings[0]?.finish();
  await first;
  laterMs = 60_001;
  expect(await read(finder)).toEqual(filter('1'));
  expect(await read(finder)).toEqual(filter('1'));
  expect(readings).toHaveLength(2);
  readings[1]?.finish();
  await expect.poll(() => read(finder)).toEqual(filter('2'));
});

test('keeps a finder in use among a thousand others', async () => {
  let readings = 0;
  const read = cacheFilters(async ({ id }) => {
    if (id === finder.id) readings += 1;
    return filter('any');
  });
  for (let n = 0; n <= 1000; n += 1) {
    await read(finder);
    await read({ ...finder, id: 2 + n });
  }
  expect(readings).toBe(1);
});

test('does not serve filters older than ten minutes or of an older finder', async () => {
  const { read, readings } = counting();
  const first = read(finder);
  readings[0]?.finish();
  await first;
  laterMs = 600_000;
  const later = read(finder);
  readings[1]?.finish();
  expect(await later).toEqual(filter('2'));
  const changed = read({ ...finder, lastUpdated: new Date(1) });
  readings[2]?.finish();
  expect(await changed).toEqual(filter('3'));
});

test('retries after a failed read', async () => {
  const { read, readings } = counting();
  const first = read(finder);
  readings[0]?.fail();
  await expect(first).rejects.toThrow('away');
  const second = read(finder);
  readings[1]?.finish();
  expect(await second).toEqual(filter('2'));
  laterMs = 60_001;
  expect(await read(finder)).toEqual(filter('2'));
  readings[2]?.fail();
  const fourth = () => {
    void read(finder);
    return readings.length === 4;
  };
  await expect.poll(fourth).toBe(true);
  readings[3]?.finish();
  expect(await read(finder)).toEqual(filter('4'));
});
