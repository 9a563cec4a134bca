import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const wholePlatform = fileURLToPath(new URL('./test/', import.meta.url));

/** Tests of the whole platform are the slowest. Starting them first keeps all cores busy until the end. */
class WholePlatformFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWhole = ({ moduleId }: TestSpecification) => moduleId.startsWith(wholePlatform);
    return [...sorted.filter(isWhole), ...sorted.filter((file) => !isWhole(file))];
  }
}

export default defineConfig({
  // The examples import the package by its name, which is not built in a checkout.
  resolve: { alias: { '@waypost/receiver': fileURLToPath(new URL('./receiver/receiver.ts', import.meta.url)) } },
  test: {
    include: ['{src,receiver,receivers,sandbox,console,test}/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/run-folder.ts'],
    setupFiles: ['test/support/working-directory.ts', 'test/support/midnight.ts'],
    // Processes rather than threads: tests send signals, change directories and start servers.
    pool: 'forks',
    // Files share imports: loading the platform for each file took more than half of the time.
    isolate: false,
    // More workers than cores, because tests of failures mostly wait for timeouts.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: WholePlatformFirst },
    // Only for tests that hang: on a busy machine, tests take ten times as long.
    testTimeout: 60_000,
    expect: { poll: { timeout: 45_000 } },
    hookTimeout: 120_000,
  },
});
