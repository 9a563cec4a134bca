import type { CallChange, Grant } from '../version-change.ts';

const calls = [
  'GET /api/locations',
  'POST /api/locations',
  'GET /api/locations/:id',
  'PATCH /api/locations/:id',
  'PUT /api/locations/:id',
  'POST /api/locations/:id',
];

/** Every call that answers with locations, for what clients of old find in them. */
export const locationCalls = (granted: Grant): CallChange[] => calls.map((call) => ({ call, replaced: {}, granted }));
