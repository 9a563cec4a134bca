import { expect } from 'vitest';
import { startSandbox as startProgram } from '../../sandbox/sandbox.ts';
import { type DirectoryListing, isFault, type ListingProfile } from '../../src/modules/directories/connector.ts';
import { connectDirectories, type Directories } from '../../src/modules/directories/open-directories.ts';
import {
  path,
  type SandboxAccess,
  SandboxControl,
  type SandboxListing,
} from '../../src/modules/directories/sandbox-control.ts';

export interface TestSandbox {
  /** Real connectors over real HTTP. */
  directories: Directories;
  control: TestControl;
  url: string;
  key: string;
  close(): Promise<void>;
}

/** Also controls what only tests need. */
export class TestControl extends SandboxControl {
  readonly #directories: Directories | undefined;

  constructor(access: SandboxAccess, directories?: Directories) {
    super(access);
    this.#directories = directories;
  }

  /** Returns when the breaker lets calls through again: otherwise the first call of the next test could be rejected. */
  override endFailure = async (directory: string): Promise<void> => {
    await this.call('PUT', `directories/${path(directory)}/trouble`, {});
    const connector = this.#directories?.connector(directory, anyCaller);
    if (!connector) return;
    await expect
      .poll(async () => {
        const result = await connector.read('no such listing');
        return isFault(result) && result.fault === 'unavailable';
      })
      .toBe(false);
  };

  addListing(
    directory: string,
    profile: ListingProfile,
    more: { claim?: DirectoryListing['claim']; kind?: string; since?: string } = {},
  ) {
    return this.call<SandboxListing>('POST', 'listings', { directory, profile, ...more });
  }

  /** Overrides the decision on future submissions. Null restores the directory's own rules. */
  decideSubmissions = (
    directory: string,
    rule: { decision: 'ACCEPTED' | 'PENDING' | 'REFUSED'; messages?: string[] } | null,
  ) => this.call('PUT', `directories/${path(directory)}/decisions`, rule ?? {});

  changeBrandPage = (directory: string, id: string, change: { name?: string; followers?: number }) =>
    this.call('PATCH', `brand-pages/${path(directory, id)}`, change);

  /** Published posts that are not withdrawn. */
  posts = (directory: string, listing: string) =>
    this.call<{ posts: { id: string; type: string; title?: string; description?: string }[] }>(
      'GET',
      `posts?${new URLSearchParams({ directory, listing })}`,
    );

  simulateGarbage = (directory: string, seconds?: number) => this.simulateFailure(directory, 'garbage', seconds);

  addInstallation = (name: string) => this.call<{ key: string }>('POST', 'installations', { name });
}

/** For tests in which the origin of a call makes no difference. */
export const anyCaller = { partnerId: 1, requested: true };

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
    breaker: { threshold: 6, firstPause: 0.05, maxPause: 0.05 },
  },
};

/** Starts a sandbox network with its state in memory and without simulated activity. */
export async function startSandbox({ seed = 1, limits = false }: Options = {}): Promise<TestSandbox> {
  const key = 'key-of-the-test-installation';
  const program = await startProgram({ key, seed, limits });
  const access = { url: () => program.url, key };
  const directories = connectDirectories(access, { ...testOptions, ...(!limits && { rateLimit: null }) });
  return {
    directories,
    control: new TestControl(access, directories),
    url: program.url,
    key,
    async close() {
      await directories.close();
      await program.close();
    },
  };
}
