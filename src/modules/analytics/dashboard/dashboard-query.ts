import Type from 'typebox';
import { invalidField } from '../../../problems.ts';
import { type Directory, directoryList } from '../../directories/index.ts';

const OneDirectory = Type.String({ maxLength: 50, description: 'A directory, such as GOOGLE', examples: ['GOOGLE'] });

export const directoryQuery = { type: Type.Optional(OneDirectory) };
export const oneDirectoryQuery = { type: OneDirectory };

/** The requested directory, or all if there is none. `has` restricts the accepted directories. */
export const readDirectories = (name: string | undefined, has: (directory: Directory) => boolean): Directory[] =>
  name === undefined ? directoryList.filter(has) : [readDirectory(name, has)];

export function readDirectory(name: string, has: (directory: Directory) => boolean = () => true): Directory {
  const possible = directoryList.filter(has);
  const directory = possible.find(({ type }) => type === name.toUpperCase());
  if (directory) return directory;
  const names = possible.map(({ type }) => type).join(', ');
  throw invalidField('type', 'enum', `type must be one of ${names}. "${name}" is not supported.`);
}

/** Undefined for all directories. */
export const directoryTypesOf = ({ type }: { type?: string }): string[] | undefined =>
  type === undefined ? undefined : [readDirectory(type).type];

/** Defaults to all metrics of the directory. */
export function readMetrics(
  requested: readonly string[] | undefined,
  { type, metrics }: Pick<Directory, 'type' | 'metrics'>,
): string[] {
  if (requested?.length && metrics.length === 0) throw invalidField('metrics', 'enum', `${type} has no metrics.`);
  return readNames('metrics', requested ?? metrics, metrics, `metrics of ${type}: `);
}

/** Removes duplicates. `prefix` precedes the known names in the error. */
export function readNames(field: string, given: readonly string[], known: readonly string[], prefix = ''): string[] {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return [...new Set(given)];
  const message = `${field} must contain only ${prefix}${[...new Set(known)].join(', ')}. ${unknown.join(', ')} is not supported.`;
  throw invalidField(field, 'enum', message);
}
