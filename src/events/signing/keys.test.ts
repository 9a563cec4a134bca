import { expect, test } from 'vitest';
import { newPrivateKey } from './keys.ts';

test('private keys can be passed as command line arguments', () => {
  const keys = Array.from({ length: 2000 }, newPrivateKey);
  expect(keys.filter((key) => !/^[A-Za-z0-9_][\w-]{42}$/.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});
