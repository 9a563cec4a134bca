import { expect, test } from 'vitest';
import { folderContent } from './asset-values.ts';

test.each([
  [3, 1, '3 folders, 1 asset'],
  [1, 0, '1 folder'],
  [0, 2, '2 assets'],
  [0, 0, '0 assets'],
])('a folder with %i folders and %i assets: %s', (foldersCount, assetsCount, text) => {
  expect(folderContent({ foldersCount, assetsCount })).toBe(text);
});
