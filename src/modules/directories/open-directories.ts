import type { Config } from '../../config.ts';
import type { PageFinder } from '../../http/services.ts';
import { ClientPolicy, type ClientPolicyOptions, defaultClientPolicyOptions } from './client-policy.ts';
import { type DirectoryConnector, isFault } from './connector.ts';
import { connectorList } from './connector-list.ts';
import type { Directory } from './directory.ts';
import { DirectoryHttp } from './directory-http.ts';
import { directoryList } from './directory-list.ts';
import { type SandboxAccess, SandboxControl } from './sandbox-control.ts';

/** The directories of this installation and their connectors. */
export interface Directories {
  readonly list: readonly Directory[];
  /** Throws for a type that is not in the list. */
  connector(type: string): DirectoryConnector;
  /** Controls the sandbox network, if the directories run there. */
  readonly sandbox?: SandboxControl;
}

declare module '../../jobs/job.ts' {
  interface JobContext {
    directories: Directories;
  }
}

export interface OpenDirectories extends Directories {
  /** Aborts calls in progress. */
  close(): Promise<void>;
}

interface ConnectOptions {
  timeoutMs: number;
  clientPolicy?: ClientPolicyOptions;
  /** Disables client-side rate limits. The directories' own limits remain. */
  unlimited?: boolean;
}

/** Empty without a sandbox network. */
export function openDirectories(config: Config, sandbox: SandboxAccess | undefined): OpenDirectories {
  if (!sandbox) return { list: [], connector: unknownDirectory, close: async () => {} };
  return connectDirectories(sandbox, { timeoutMs: config.directoryTimeoutMs });
}

/** Directories that an API process lists. It has no connectors. */
export const directoriesOf = (config: Config): readonly Directory[] => (config.sandbox ? directoryList : []);

/** Each directory has its own HTTP client and policy: a slow or failing directory does not affect the others. */
export function connectDirectories(sandbox: SandboxAccess, options: ConnectOptions): OpenDirectories {
  const { timeoutMs, clientPolicy: policy = defaultClientPolicyOptions, unlimited } = options;
  const opened = directoryList.map((directory) => {
    const { type, name, rateLimit } = directory;
    const connect = connectorList[type];
    if (!connect) throw new Error(`No connector is defined for ${type}.`);
    const http = new DirectoryHttp(name, timeoutMs);
    const clientPolicy = new ClientPolicy({ name, rateLimit: unlimited ? undefined : rateLimit }, policy);
    return { type, http, connector: connect({ http, clientPolicy, sandbox }) };
  });
  const connectors = new Map(opened.map(({ type, connector }) => [type, connector]));
  return {
    list: directoryList,
    connector: (type) => connectors.get(type) ?? unknownDirectory(type),
    sandbox: new SandboxControl(sandbox),
    async close() {
      await Promise.all(opened.map(({ http }) => http.close()));
    },
  };
}

function unknownDirectory(type: string): never {
  throw new Error(`Unknown directory ${type}.`);
}

const defaultRetryAfterSeconds = 30;

/** Looks up listings at their directories within an API request. */
export const pageFinder = (directories: Directories): PageFinder => ({
  async find(directoryType, reference) {
    const directory = directories.list.find(({ type }) => type === directoryType);
    if (!directory) {
      const message = `This process cannot reach ${directoryType}. Set WAYPOST_SANDBOX_URL and WAYPOST_SANDBOX_KEY.`;
      return { kind: 'unavailable', message, retryAfterSeconds: defaultRetryAfterSeconds };
    }
    if (!directory.supports.onlineListing) {
      return { kind: 'none', message: `${directory.name} has no web pages that a listing can be linked to.` };
    }
    const connector = directories.connector(directoryType);
    const page = await ('url' in reference ? connector.resolve(reference.url) : connector.read(reference.id));
    if (!isFault(page)) return page ? { kind: 'page', id: page.externalId, url: page.url ?? null } : { kind: 'none' };
    if (page.fault === 'refused') return { kind: 'none', message: page.messages.join(' ') };
    const retryAfterSeconds = page.fault === 'limited' ? page.retryAfterSeconds : defaultRetryAfterSeconds;
    return { kind: 'unavailable', message: `${page.detail} Send the request again later.`, retryAfterSeconds };
  },
});
