import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
  }
}

/** One folder for all files of a test run. */
export default async function provideRunFolder(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-run-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
