import { expect, test } from 'vitest';
import { runCli } from '../../test/support/cli.ts';
import { newestVersion } from '../api/versions/timeline.ts';
import { difference } from './versions-command.ts';

test('prints breaking changes and additions between two versions', () => {
  const text = difference('20210729', '20230115');
  expect(text).toContain('From _20210729 to _20230115 there are 9 breaking changes:');
  expect(text).toContain('Location: futureOpeningDate → openingDate');
  expect(text).toContain('SocialPost: callToAction → callToActions');
  expect(text).not.toContain('_20210729  breaking');
  expect(text).not.toContain('_20230407');
});

test('reports no breaking changes between additive versions', () => {
  const text = difference('20240220', '20260713');
  expect(text).toContain('No breaking changes between _20240220 and _20260713.');
  expect(text).toContain('Additions, available in every version:');
  expect(text).toContain('_20260713  additive');
});

test('prints the reverse of a downgrade', () => {
  expect(difference('20230115', '20210729')).toContain(difference('20210729', '20230115'));
});

test.for(['20211340', 'newest', undefined])('rejects %s', async (version) => {
  const { code, stderr } = await runCli(['versions', 'diff', '_20210729', ...(version ? [version] : [])]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(`TO must be a date like ${newestVersion} or _${newestVersion}`);
});
