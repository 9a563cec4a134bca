import Type from 'typebox';
import { invalidField } from '../../../problems.ts';
import { type Directory, directoryList } from '../../directories/index.ts';

const OneDirectory = Type.String({ maxLength: 50, description: 'A directory, such as GOOGLE', examples: ['GOOGLE'] });

export const directoryQuery = { type: Type.Optional(OneDirectory) };
export const oneDirectoryQuery = { type: OneDirectory };

export const directoryFilter = ({ type }: { type?: string }): { directoryTypes?: string[] } =>
  type === undefined ? {} : { directoryTypes: [readDirectory(type).type] };

/** `has` restricts the accepted directories. */
export function readDirectory(name: string, has: (directory: Directory) => boolean = () => true): Directory {
  const possible = directoryList.filter(has);
  const directory = possible.find(({ type }) => type === name.toUpperCase());
  if (directory) return directory;
  const names = possible.map(({ type }) => type).join(', ');
  throw invalidField('type', 'enum', `type must be one of ${names}. "${name}" is not supported.`);
}

/** Defaults to all metrics of the directory. */
export function readMetrics(
  requested: readonly string[] | undefined,
  { type, metrics }: Pick<Directory, 'type' | 'metrics'>,
) {
  const unknown = (requested ?? []).filter((name) => !metrics.includes(name));
  if (unknown.length === 0) return [...new Set(requested ?? metrics)];
  throw invalidField(
    'metrics',
    'enum',
    metrics.length > 0
      ? `metrics must contain only metrics of ${type}: ${metrics.join(', ')}. ${unknown.join(', ')} is not supported.`
      : `${type} has no metrics.`,
  );
}
