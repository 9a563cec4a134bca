import { ConfigurationProblem } from '../config.ts';

interface Port {
  host: string;
  port: number;
  /** The settings of host and port, for the message. */
  settings: string;
}

/** Throws a ConfigurationProblem for an unavailable port; rethrows other errors. */
export function explainPort(error: NodeJS.ErrnoException, { host, port, settings }: Port): never {
  if (error.code === 'EADDRINUSE') {
    throw new ConfigurationProblem(
      `Port ${port} on ${host} is in use, possibly by another Waypost. Stop it, or change ${settings}.`,
    );
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL') {
    throw new ConfigurationProblem(`Waypost cannot listen on ${host}:${port} (${error.code}). Change ${settings}.`);
  }
  throw error;
}
