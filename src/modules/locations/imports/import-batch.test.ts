import { expect, test } from 'vitest';
import { keysOf, mayOverlap } from './import-batch.ts';

const batch = (...rows: { identifier?: string; name: string }[]) => keysOf(rows.map((input) => ({ input })));

test('overlaps for rows with the same identifier', () => {
  expect(mayOverlap(batch({ identifier: 'A', name: 'One' }), batch({ identifier: 'A ', name: 'Two' }))).toBe(true);
  expect(mayOverlap(batch({ identifier: 'A', name: 'One' }), batch({ identifier: 'B', name: 'One' }))).toBe(false);
});

test('overlaps for a row without an identifier and a row of the same name', () => {
  const unidentified = batch({ name: 'Bakery  One' });
  expect(mayOverlap(unidentified, batch({ identifier: 'A', name: 'bakery one' }))).toBe(true);
  expect(mayOverlap(batch({ identifier: 'A', name: 'bakery one' }), unidentified)).toBe(true);
  expect(mayOverlap(unidentified, batch({ name: 'Bakery Two' }))).toBe(false);
});

test('ignores invalid rows', () => {
  expect(mayOverlap(keysOf([{ errors: [] }]), keysOf([{ errors: [] }]))).toBe(false);
});
