import { TestApi } from './api.ts';
import { runJobs } from './jobs.ts';
import { startSandbox, type TestSandbox } from './sandbox.ts';

/** An API, a database and a sandbox network for all tests of a file; each test has partners and places of its own. */
export class SandboxScene {
  readonly api: TestApi;
  readonly sandbox: TestSandbox;

  constructor({ api, sandbox }: SceneParts) {
    this.api = api;
    this.sandbox = sandbox;
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await this.api.close();
  }

  get control() {
    return this.sandbox.control;
  }

  query(text: string, values?: unknown[]) {
    return this.api.database.pool.query(text, values);
  }

  /** Does every job that is due. */
  work(options: { early?: boolean } = {}): Promise<void> {
    return runJobs(this.api.database, { directories: this.sandbox.directories, ...options });
  }
}

interface SceneParts {
  api: TestApi;
  sandbox: TestSandbox;
}

export async function sceneParts(): Promise<SceneParts> {
  const sandbox = await startSandbox();
  return { api: await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' }, undefined, sandbox.directories), sandbox };
}
