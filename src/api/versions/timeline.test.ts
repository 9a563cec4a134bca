import { expect, test } from 'vitest';
import { entryFor, newestVersion, oldestVersion, timeline } from './timeline.ts';

test('the changelog has every entry once, in order', () => {
  const versions = timeline.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].sort());
  expect(versions).toHaveLength(33);
  expect([oldestVersion, newestVersion]).toEqual(['20190104', '20260713']);
});

test.for([
  ['20180101', '20190104'],
  ['20190104', '20190104'],
  ['20230114', '20230110'],
  ['20230115', '20230115'],
  ['20240219', '20230721'],
  ['20991231', '20260713'],
])('%s selects the version %s', ([date, entry]) => {
  expect(entryFor(date as string)).toBe(entry);
});
