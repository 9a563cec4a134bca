import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const deploymentFile = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../deploy/patroni', name), 'utf8');

/** The environment of an example file, with the values of this run. */
export function environmentOf(file: string, values: Record<string, string>): NodeJS.ProcessEnv {
  const lines = deploymentFile(file).split('\n');
  const example = Object.fromEntries(
    lines.flatMap((line) => [/^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []].filter(isPair)),
  );
  const unknown = Object.keys(values).filter((key) => !(key in example));
  if (unknown.length > 0) throw new Error(`deploy/patroni/${file} does not contain ${unknown.join(', ')}.`);
  return { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, LC_ALL: 'C.UTF-8', ...example, ...values };
}

const isPair = (parts: string[]) => parts.length === 2;
