import { expect, test } from 'vitest';
import { nameOrId } from './name-or-id.ts';

test('shows the id only if the name is unknown', () => {
  expect(nameOrId('Bäckerei Lindner', 2)).toBe('Bäckerei Lindner');
  expect(nameOrId(undefined, 2)).toBe('…');
  expect(nameOrId('', 2)).toBe('#2');
});
