import { startSandbox as startProgram } from '../../sandbox/sandbox.ts';
import type { Directories } from '../../src/modules/directories/directories.ts';
import { connectDirectories } from '../../src/modules/directories/open-directories.ts';
import { SandboxControl } from '../../src/modules/directories/sandbox-control.ts';

export interface TestSandbox {
  /** Real connectors over real HTTP. */
  directories: Directories;
  /** Makes things happen there. */
  control: SandboxControl;
  url: string;
  key: string;
  close(): Promise<void>;
}

interface Options {
  seed?: number;
  /** The directories' own rate limits, which would make most tests wait; those set by control hold in any case. */
  limits?: boolean;
}

const impatient = {
  timeoutMs: 3_000,
  clientPolicy: {
    attempts: 2,
    backoffMs: 10,
    maxWaitMs: 500,
    breaker: { threshold: 6, firstPauseMs: 50, maxPauseMs: 50 },
  },
};

/** The sandbox network with a state of its own in memory, quiet until it is told what to do. */
export async function startSandbox({ seed = 1, limits = false }: Options = {}): Promise<TestSandbox> {
  const key = 'key-of-the-test-installation';
  const program = await startProgram({ key, seed, limits });
  const access = { url: () => program.url, key };
  const directories = connectDirectories(access, { ...impatient, unlimited: !limits });
  return {
    directories,
    control: new SandboxControl(access),
    url: program.url,
    key,
    async close() {
      await directories.close();
      await program.close();
    },
  };
}
