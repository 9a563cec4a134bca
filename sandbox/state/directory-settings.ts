import type { Network } from './network.ts';

export const failureModes = [
  'error',
  'hang',
  'reset',
  'garbage',
  'html',
  'empty',
  'truncated',
  'wrong-shape',
  'huge',
  'repeat',
] as const;

export type FailureMode = (typeof failureModes)[number];

interface Settings {
  /** `until` is a time of the network clock in milliseconds. */
  trouble: { kind: FailureMode; until?: number };
  limit: { requests: number; perSeconds: number };
  latency: { milliseconds: number };
  decisions: { decision: 'ACCEPTED' | 'PENDING' | 'REFUSED'; messages?: string[] };
}

/** A setting made with the control API. Undefined: the directory uses its default. */
export function directorySetting<Name extends keyof Settings>(
  { sql }: Network,
  directory: string,
  name: Name,
): Settings[Name] | undefined {
  const row = sql.one<{ value: string }>`
    select value from directory_settings where directory = ${directory} and name = ${name}`;
  return row && JSON.parse(row.value);
}

/** Undefined restores the default. */
export function setDirectorySetting<Name extends keyof Settings>(
  { sql }: Network,
  directory: string,
  name: Name,
  value: Settings[Name] | undefined,
): void {
  sql.run`delete from directory_settings where directory = ${directory} and name = ${name}`;
  if (value) sql.insert('directory_settings', { directory, name, value: JSON.stringify(value) });
}

export function currentFailure(network: Network, directory: string): Settings['trouble'] | undefined {
  const failure = directorySetting(network, directory, 'trouble');
  return failure?.until !== undefined && failure.until <= network.now() ? undefined : failure;
}
