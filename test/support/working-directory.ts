import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';

// The default data folder is relative: without this, tests would write to the data folder of the checkout.
const directory = mkdtempSync(join(inject('runFolder'), 'cwd-'));
process.chdir(directory);

afterAll(() => {
  expect(
    readdirSync(directory),
    'files in the working directory: use configFor of test/support/data-folder.ts',
  ).toEqual([]);
});
