import type { DirectoryConnector } from './connector.ts';
import type { Directory } from './directory.ts';
import type { SandboxControl } from './sandbox-control.ts';

/** The directories that this installation works with, and how to reach each. */
export interface Directories {
  readonly list: readonly Directory[];
  /** Throws for a type that is not in the list. */
  connector(type: string): DirectoryConnector;
  /** Where the directories are those of the sandbox network: tells them what shall happen next. */
  readonly sandbox?: SandboxControl;
}

declare module '../../jobs/job.ts' {
  interface JobContext {
    directories: Directories;
  }
}
