import { expect, test, vi } from 'vitest';
import { LineBuffer } from './line-buffer.ts';

test('lines are handed on together and in order', async () => {
  const handed: string[] = [];
  const lines = new LineBuffer((text) => handed.push(text));
  lines.write('one\n');
  lines.write('two\n');
  expect(handed).toEqual([]);
  await vi.waitFor(() => expect(handed).toEqual(['one\ntwo\n']), 10_000);
});

test('a full buffer does not wait, and a flush leaves nothing behind', () => {
  const handed: string[] = [];
  const lines = new LineBuffer((text) => handed.push(text));
  lines.write('x'.repeat(20_000));
  expect(handed).toHaveLength(1);
  lines.write('last');
  lines.flush();
  lines.flush();
  expect(handed.join('')).toBe(`${'x'.repeat(20_000)}last`);
});
