import { expect, test } from 'vitest';
import { runToEnd } from './command-process.ts';
import { difference } from './versions-command.ts';

test('what a client must change between two versions, and what is new besides', () => {
  const text = difference('20210729', '20230115');
  expect(text).toContain('From _20210729 to _20230115 a client must follow 9 changes:');
  expect(text).toContain('Location: futureOpeningDate → openingDate');
  expect(text).toContain('SocialPost: callToAction → callToActions');
  expect(text).not.toContain('_20210729  breaking');
  expect(text).not.toContain('_20230407');
});

test('between versions that only added something nothing must change', () => {
  const text = difference('20240220', '20260713');
  expect(text).toContain('Nothing must change between _20240220 and _20260713.');
  expect(text).toContain('New, and open in every version:');
  expect(text).toContain('_20260713  additive');
});

test('the way back is told the other way round', () => {
  expect(difference('20230115', '20210729')).toContain(difference('20210729', '20230115'));
});

test.for(['20211340', 'newest', undefined])('%s is no version to compare with', async (version) => {
  const { code, stderr } = await runToEnd(['versions', 'diff', '_20210729', ...(version ? [version] : [])]);
  expect(code).not.toBe(0);
  expect(stderr).toContain('TO must be a date like 20260713 or _20260713');
});
