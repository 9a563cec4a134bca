import { expect, test } from 'vitest';
import { defineFilters } from './filters.ts';
import { periodFilters } from './periods.ts';
import { day, flag, manyOf, searchParams, text, wholeNumbers } from './search-params.ts';

const filters = defineFilters({
  query: { param: text, label: 'Search', apiParameter: 'query' },
  business: { param: wholeNumbers, label: 'Business', apiParameter: 'businessIds' },
  status: { param: manyOf(['ACTIVE', 'CLOSED']), label: 'Status', apiParameter: 'status' },
  isRead: { param: flag, label: 'Read', apiParameter: 'isRead' },
  until: {
    param: day,
    label: 'Until',
    apiParameter: 'before',
    toApi: (until: string | undefined) => until && `${until}T23:59`,
    fromApi: (sent: string | undefined) => sent?.slice(0, 10),
  },
});

test('reads filters from the URL among other parameters and ignores invalid values', () => {
  const read = searchParams({ ...filters.params, view: text });
  expect(read({ business: ['1', 'x'], status: 'ACTIVE', isRead: 'maybe', view: 'map', other: 1 })).toEqual({
    query: undefined,
    business: [1],
    status: ['ACTIVE'],
    isRead: undefined,
    until: undefined,
    view: 'map',
  });
});

test('sends only filters that are set, with the names and values of the API', () => {
  const search = { business: [1, 2], isRead: false, until: '2026-11-15', view: 'map' };
  expect(filters.query(search)).toEqual({ businessIds: [1, 2], isRead: false, before: '2026-11-15T23:59' });
});

test('counts the filters that are set, of all or of some', () => {
  const search = { query: 'bakery', isRead: false };
  expect(filters.count(search)).toBe(2);
  expect(filters.count(search, ['business', 'isRead'])).toBe(1);
  expect(filters.isFiltered(search)).toBe(true);
  expect(filters.isFiltered(filters.none)).toBe(false);
});

test('restores the search of a saved query and clears the other filters', () => {
  const saved = { businessIds: [3], isRead: null, before: '2026-11-15T23:59', name: 'Mine' };
  expect(filters.searchOf(saved)).toEqual({ ...filters.none, business: [3], until: '2026-11-15' });
});

test('sends the start of a period, and both ends only of an own period', () => {
  const { query } = defineFilters(periodFilters);
  const times = { since: '2026-11-15T09:30', until: '2026-11-15T10:30' };
  const [since, until] = Object.values(times).map((local) => new Date(local).toISOString());
  expect(query(times)).toEqual({});
  expect(query({ period: 'own', ...times })).toEqual({ since, until });
  const lastHour = query({ period: '1h', until: times.until });
  expect(Object.keys(lastHour)).toEqual(['since']);
  expect(Date.now() - new Date(lastHour.since ?? '').getTime()).toBeGreaterThanOrEqual(3_600_000);
});
