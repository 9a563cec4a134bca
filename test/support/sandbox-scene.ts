import { TestApi } from './api.ts';
import { jobContext, runJobs } from './jobs.ts';
import { startSandbox, type TestSandbox } from './sandbox.ts';

/** An API, a database and a sandbox network for all tests of a file. Each test creates its own partners and locations. */
export class SandboxScene {
  readonly api: TestApi;
  readonly sandbox: TestSandbox;

  constructor({ api, sandbox }: SceneServices) {
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

  /** Job context with the sandbox network and the database of the scene. */
  get context() {
    return jobContext(this.api.database, { directories: this.sandbox.directories });
  }

  /** Runs all due jobs. */
  runJobs(options: { early?: boolean } = {}): Promise<void> {
    return runJobs(this.api.database, { directories: this.sandbox.directories, ...options });
  }
}

interface SceneServices {
  api: TestApi;
  sandbox: TestSandbox;
}

/** `panel` enables the routes of the sandbox panel. */
export async function startSceneServices({ panel = false } = {}): Promise<SceneServices> {
  const sandbox = await startSandbox();
  const env = { WAYPOST_RATE_LIMIT: '100000' };
  const access = panel ? { url: () => sandbox.url, key: sandbox.key } : undefined;
  return { api: await TestApi.start(env, undefined, sandbox.directories, access), sandbox };
}
