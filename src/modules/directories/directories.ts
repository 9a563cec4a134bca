import type { DirectoryConnector } from './connector.ts';
import type { Directory } from './directory.ts';
import type { SandboxControl } from './sandbox-control.ts';

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
