import { ConfigurationProblem } from '../config.ts';

interface Port {
  host: string;
  port: number;
  /** The settings that name the place. */
  settings: string;
}

/** What to do about a port on which nobody can listen; any other error is thrown as it is. */
export function explainPort(error: NodeJS.ErrnoException, { host, port, settings }: Port): never {
  if (error.code === 'EADDRINUSE') {
    throw new ConfigurationProblem(
      `Port ${port} on ${host} is taken, perhaps by another Waypost: stop that, or set ${settings} to a free one.`,
    );
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL') {
    throw new ConfigurationProblem(`Waypost cannot listen on ${host}:${port} (${error.code}): set ${settings}.`);
  }
  throw error;
}
