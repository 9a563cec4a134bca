import { type CallChange, entries, type Grant, isShape, withEntries, withField } from '../version-change.ts';

const writing = [
  'POST /api/locations',
  'PATCH /api/locations/:id',
  'PUT /api/locations/:id',
  'POST /api/locations/:id',
  'POST /api/checkout/locations',
];
const reading = ['GET /api/locations', 'GET /api/locations/:id', 'POST /api/locations/:id/status', ...writing];

/** All endpoints that return locations. */
export const locationReadCalls = (granted: Grant): CallChange[] => reading.map((call) => ({ call, granted }));

export const locationWriteCalls = (granted: Grant): CallChange[] =>
  [...writing, 'PATCH /api/locations', 'POST /api/location-imports'].map((call) => ({ call, granted }));

const finder = 'GET /api/store-finders/:storeKey/locations';
const masked = ['GET /api/locations', 'GET /api/locations/:id', finder, `${finder}/all`, `${finder}/:id`];

/** Accepts the old name of a field in a field mask. */
export const renamedInMask = (before: string, now: string): CallChange[] =>
  masked.map((call) => ({
    call,
    upgradeQuery: (old) =>
      withField(old, 'fieldMask', (mask) =>
        [mask]
          .flat()
          .flatMap((names) => String(names).split(','))
          .map((name) => (name.trim() === before ? now : name)),
      ),
  }));

/** Responses that contain field names, with the old name of a field. */
export const renamedInFieldNames = (before: string, now: string): CallChange[] => [
  {
    call: 'GET /api/locations/fields',
    downgradeResponse: (current) =>
      withField(current, 'fields', (fields) => {
        const isThere = entries(fields).some((field) => isShape(field) && field.name === before);
        return entries(fields).flatMap((field) => {
          if (!isShape(field) || field.name !== now) return [field];
          return isThere ? [] : [{ ...field, name: before }];
        });
      }),
  },
  {
    call: 'GET /api/locations/:id/history',
    downgradeResponse: (current) =>
      withEntries(current, 'changes', (change) =>
        isShape(change) ? withField(change, 'fields', (fields) => oldNames(fields, before, now)) : change,
      ),
  },
];

const oldNames = (names: unknown, before: string, now: string) => [
  ...new Set(entries(names).map((name) => (name === now ? before : name))),
];
