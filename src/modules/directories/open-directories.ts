import type { Config } from '../../config.ts';
import { ClientPolicy, type ClientPolicyOptions, defaultClientPolicyOptions } from './client-policy.ts';
import { connectorList } from './connector-list.ts';
import type { Directories } from './directories.ts';
import type { Directory } from './directory.ts';
import { DirectoryHttp } from './directory-http.ts';
import { directoryList } from './directory-list.ts';
import { type SandboxAccess, SandboxControl } from './sandbox-control.ts';

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
