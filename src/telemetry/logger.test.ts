import { expect, test, vi } from 'vitest';
import { LineBuffer } from './logger.ts';

test('writes lines together and in order', async () => {
  const handed: string[] = [];
  const lines = new LineBuffer((text) => handed.push(text));
  lines.write('one\n');
  lines.write('two\n');
  expect(handed).toEqual([]);
  await vi.waitFor(() => expect(handed).toEqual(['one\ntwo\n']), 10_000);
});

test('writes a full buffer immediately and flushes completely', () => {
  const handed: string[] = [];
  const lines = new LineBuffer((text) => handed.push(text));
  lines.write('x'.repeat(20_000));
  expect(handed).toHaveLength(1);
  lines.write('last');
  lines.flush();
  lines.flush();
  expect(handed.join('')).toBe(`${'x'.repeat(20_000)}last`);
});
