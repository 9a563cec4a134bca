import { startSandbox as startProgram } from '../../sandbox/sandbox.ts';
import { connectDirectories, type Directories } from '../../src/modules/directories/open-directories.ts';
import { SandboxControl } from '../../src/modules/directories/sandbox-control.ts';

export interface TestSandbox {
  /** Real connectors over real HTTP. */
  directories: Directories;
  control: SandboxControl;
  url: string;
  key: string;
  close(): Promise<void>;
}

interface Options {
  seed?: number;
  /** Enables the directories' own rate limits. Limits set by `control` always apply. */
  limits?: boolean;
}

const testOptions = {
  timeoutMs: 3_000,
  clientPolicy: {
    attempts: 2,
    backoffMs: 10,
    maxWaitMs: 500,
    breaker: { threshold: 6, firstPauseMs: 50, maxPauseMs: 50 },
  },
};

/** Starts a sandbox network with its state in memory and without simulated activity. */
export async function startSandbox({ seed = 1, limits = false }: Options = {}): Promise<TestSandbox> {
  const key = 'key-of-the-test-installation';
  const program = await startProgram({ key, seed, limits });
  const access = { url: () => program.url, key };
  const directories = connectDirectories(access, { ...testOptions, unlimited: !limits });
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
