import { expect, test } from 'vitest';
import { bodyValue } from './profile-draft.ts';

test('deletes cleared fields of a service', () => {
  const cleared = { id: 7, title: 'Cut', identifier: 'cut', price: undefined, currency: 'EUR' };
  expect(bodyValue('services', [cleared])).toEqual([
    { id: 7, title: 'Cut', identifier: 'cut', price: null, currency: 'EUR', description: null },
  ]);
});

test('deletes empty fields and lists', () => {
  expect([bodyValue('website', ''), bodyValue('keywords', []), bodyValue('services', [])]).toEqual([null, null, null]);
  expect(bodyValue('name', 'Lindner')).toBe('Lindner');
});
