import Type from 'typebox';
import { invalidField } from '../../../problems.ts';
import { type Directory, directoryList } from '../../directories/index.ts';

const OneDirectory = Type.String({ maxLength: 50, description: 'A directory, such as GOOGLE', examples: ['GOOGLE'] });

export const directoryQuery = { type: Type.Optional(OneDirectory) };
export const oneDirectoryQuery = { type: OneDirectory };

export function directoryOf({ type }: { type?: string }): string[] | undefined {
  return type === undefined ? undefined : [readDirectory(type).type];
}

/** `has` restricts the accepted directories. */
export function readDirectory(name: string, has: (directory: Directory) => boolean = () => true): Directory {
  const possible = directoryList.filter(has);
  const directory = possible.find(({ type }) => type === name.toUpperCase());
  if (directory) return directory;
  const names = possible.map(({ type }) => type).join(', ');
  throw invalidField('type', 'enum', `type must be one of ${names}. "${name}" is not supported.`);
}
