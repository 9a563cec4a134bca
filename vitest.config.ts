import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,receiver,sandbox,console,test}/**/*.test.ts'],
    globalSetup: 'test/support/postgres.ts',
    // Processes rather than threads: tests send signals, change directories and start servers.
    pool: 'forks',
    // Files share what they import: loading the platform anew for each took more than half of the time.
    isolate: false,
    // Two at least: most tests wait for the network or the database, not for a core.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
