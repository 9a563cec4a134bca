import type { Config } from '../../config.ts';
import type { PageFinder } from '../../http/services.ts';
import { ClientPolicy, type ClientPolicyOptions, defaultClientPolicyOptions } from './client-policy.ts';
import { type DirectoryConnector, isFault } from './connector.ts';
import { DirectoryHttp } from './directory-http.ts';
import { type Directory, directoryList } from './directory-list.ts';
import type { Caller } from './fair-queue.ts';
import { type ConnectorParts, SandboxConnector } from './sandbox-connector.ts';
import { type SandboxAccess, SandboxControl } from './sandbox-control.ts';

type Connect = (parts: ConnectorParts) => DirectoryConnector;

const inSandbox =
  (path: string): Connect =>
  (parts) =>
    new SandboxConnector({ path, ...parts });

export const connectorList: Readonly<Record<string, Connect>> = {
  GOOGLE: inSandbox('google'),
  FACEBOOK: inSandbox('facebook'),
  APPLE_MAPS: inSandbox('apple-maps'),
  BING: inSandbox('bing'),
  YELP: inSandbox('yelp'),
  INSTAGRAM: inSandbox('instagram'),
  FOURSQUARE: inSandbox('foursquare'),
  TRIP_ADVISOR: inSandbox('trip-advisor'),
  NOKIA_HERE: inSandbox('nokia-here'),
  TOMTOM: inSandbox('tomtom'),
  WAZE: inSandbox('waze'),
  YELLOW_PAGES: inSandbox('yellow-pages'),
  CYLEX: inSandbox('cylex'),
  GOLOCAL: inSandbox('golocal'),
  NEXTDOOR: inSandbox('nextdoor'),
};

/** The directories of this installation and their connectors. */
export interface Directories {
  readonly list: readonly Directory[];
  /** Calls the directory for this caller. Throws for a type that is not in the list. */
  connector(type: string, caller: Caller): DirectoryConnector;
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
  /** Replaces the client-side rate limits; null for none. The directories' own limits remain. */
  rateLimit?: Directory['rateLimit'] | null;
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
  const { timeoutMs, clientPolicy: policy = defaultClientPolicyOptions } = options;
  const opened = directoryList.map((directory) => {
    const { type, name } = directory;
    const { rateLimit = directory.rateLimit } = options;
    const connect = connectorList[type];
    if (!connect) throw new Error(`No connector is defined for ${type}.`);
    const http = new DirectoryHttp(name, timeoutMs);
    const clientPolicy = new ClientPolicy({ name, rateLimit: rateLimit ?? undefined }, policy);
    const connector = (caller: Caller) =>
      connect({ http, sandbox, execute: (send) => clientPolicy.execute(caller, send) });
    return { type, http, connector };
  });
  const connectors = new Map(opened.map(({ type, connector }) => [type, connector]));
  return {
    list: directoryList,
    connector: (type, caller) => (connectors.get(type) ?? unknownDirectory(type))(caller),
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
  async find(partnerId, directoryType, reference) {
    const directory = directories.list.find(({ type }) => type === directoryType);
    if (!directory) {
      const message = `This process cannot reach ${directoryType}. Set WAYPOST_SANDBOX to on.`;
      return { kind: 'unavailable', message, retryAfterSeconds: defaultRetryAfterSeconds };
    }
    if (!directory.supports.onlineListing) {
      return { kind: 'none', message: `${directory.name} has no web pages that a listing can be linked to.` };
    }
    const connector = directories.connector(directoryType, { partnerId, requested: true });
    const page = await ('url' in reference ? connector.resolve(reference.url) : connector.read(reference.id));
    if (!isFault(page)) return page ? { kind: 'page', id: page.externalId, url: page.url ?? null } : { kind: 'none' };
    if (page.fault === 'refused') return { kind: 'none', message: page.messages.join(' ') };
    const retryAfterSeconds = page.fault === 'limited' ? page.retryAfterSeconds : defaultRetryAfterSeconds;
    return { kind: 'unavailable', message: `${page.detail} Send the request again later.`, retryAfterSeconds };
  },
});
