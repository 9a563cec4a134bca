import { expect, test } from 'vitest';
import { keysOf, mayMeanTheSame } from './same-locations.ts';

const batch = (...rows: { identifier?: string; name: string }[]) => keysOf(rows.map((input) => ({ input })));

test('rows with the same identifier may mean the same location, whatever their names', () => {
  expect(mayMeanTheSame(batch({ identifier: 'A', name: 'One' }), batch({ identifier: 'A ', name: 'Two' }))).toBe(true);
  expect(mayMeanTheSame(batch({ identifier: 'A', name: 'One' }), batch({ identifier: 'B', name: 'One' }))).toBe(false);
});

test('a row without an identifier may mean any location of its name', () => {
  const unidentified = batch({ name: 'Bakery  One' });
  expect(mayMeanTheSame(unidentified, batch({ identifier: 'A', name: 'bakery one' }))).toBe(true);
  expect(mayMeanTheSame(batch({ identifier: 'A', name: 'bakery one' }), unidentified)).toBe(true);
  expect(mayMeanTheSame(unidentified, batch({ name: 'Bakery Two' }))).toBe(false);
});

test('broken rows mean nothing', () => {
  expect(mayMeanTheSame(keysOf([{ errors: [] }]), keysOf([{ errors: [] }]))).toBe(false);
});
