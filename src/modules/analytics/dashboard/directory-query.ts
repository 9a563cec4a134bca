import Type from 'typebox';
import { invalidField } from '../../../problems.ts';
import { type Directory, directoryList } from '../../directories/index.ts';

const OneDirectory = Type.String({ maxLength: 50, description: 'A directory, such as GOOGLE', examples: ['GOOGLE'] });

/** For figures that may be narrowed to one directory. */
export const directoryQuery = { type: Type.Optional(OneDirectory) };
/** For figures that are of one directory. */
export const oneDirectoryQuery = { type: OneDirectory };

/** The directory that was asked for, as a list of one; nothing when none was. */
export function directoryOf({ type }: { type?: string }): string[] | undefined {
  return type === undefined ? undefined : [readDirectory(type).type];
}

/** The directory of a name; `has` says what it must be able to do. */
export function readDirectory(name: string, has: (directory: Directory) => boolean = () => true): Directory {
  const possible = directoryList.filter(has);
  const directory = possible.find(({ type }) => type === name.toUpperCase());
  if (directory) return directory;
  const names = possible.map(({ type }) => type).join(', ');
  throw invalidField('type', 'enum', `type must be one of ${names}; not "${name}".`);
}
