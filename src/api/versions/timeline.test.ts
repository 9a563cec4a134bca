import { expect, test } from 'vitest';
import { entryFor, newestVersion, oldestVersion, timeline } from './timeline.ts';

test('the changelog has every entry once, in order', () => {
  const versions = timeline.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].sort());
  expect([oldestVersion, newestVersion]).toEqual(['20190104', versions.at(-1)]);
});

test('the changelog has the 33 entries of the specification', () => {
  const specified = timeline.map(({ version }) => version).filter((version) => version <= '20260713');
  expect(specified).toHaveLength(33);
  expect(specified.at(-1)).toBe('20260713');
});

test.for(timeline)(
  'the entry $version is complete',
  ({ version, kind, description, touches, shapes = [], calls = [] }) => {
    expect(version).toMatch(/^\d{8}$/);
    expect(description.trim().length).toBeGreaterThanOrEqual(20);
    expect(touches.length > 0 || kind === 'INTERNAL').toBe(true);
    expect(shapes.length + calls.length > 0).toBe(kind === 'BREAKING');
  },
);

test.for([
  ['20180101', '20190104'],
  ['20190104', '20190104'],
  ['20230114', '20230110'],
  ['20230115', '20230115'],
  ['20240219', '20230721'],
  ['20260713', '20260713'],
  ['20991231', newestVersion],
])('%s selects the version %s', ([date, entry]) => {
  expect(entryFor(date as string)).toBe(entry);
});
