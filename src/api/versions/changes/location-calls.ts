import { entries, isShape, withEntries, withField } from '../shape.ts';
import type { CallChange, Grant } from '../version-change.ts';

const writing = [
  'POST /api/locations',
  'PATCH /api/locations/:id',
  'PUT /api/locations/:id',
  'POST /api/locations/:id',
  'POST /api/checkout/locations',
];
const answering = ['GET /api/locations', 'GET /api/locations/:id', 'POST /api/locations/:id/status', ...writing];

/** Every call that answers with locations, for what clients of old find in them. */
export const locationReadCalls = (granted: Grant): CallChange[] => answering.map((call) => ({ call, granted }));

export const locationWriteCalls = (granted: Grant): CallChange[] =>
  [...writing, 'PATCH /api/locations', 'POST /api/location-imports'].map((call) => ({ call, granted }));

const finder = 'GET /api/store-finders/:storeKey/locations';
const masked = ['GET /api/locations', 'GET /api/locations/:id', finder, `${finder}/all`, `${finder}/:id`];

/** A field mask that names a field by what it was called. */
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

/** A field that had another name, in the answers that speak of fields by their names. */
export const renamedInFieldNames = (before: string, now: string): CallChange[] => [
  {
    call: 'GET /api/locations/fields',
    downgradeResponse: (today) =>
      withField(today, 'fields', (fields) => {
        const isThere = entries(fields).some((field) => isShape(field) && field.name === before);
        return entries(fields).flatMap((field) => {
          if (!isShape(field) || field.name !== now) return [field];
          return isThere ? [] : [{ ...field, name: before }];
        });
      }),
  },
  {
    call: 'GET /api/locations/:id/history',
    downgradeResponse: (today) =>
      withEntries(today, 'changes', (change) =>
        isShape(change) ? withField(change, 'fields', (fields) => namesOfThen(fields, before, now)) : change,
      ),
  },
];

const namesOfThen = (names: unknown, before: string, now: string) => [
  ...new Set(entries(names).map((name) => (name === now ? before : name))),
];
