import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { titleError } from './file-title.ts';

/** Folders within folders, the outermost counted. */
export const deepestFolder = 10;

export interface Folder {
  id: number;
  parentId: number | null;
  name: string;
  /** The names of the folders around it and its own, the outermost first. */
  path: string[];
  foldersCount: number;
  createdBy: string;
  dateCreated: Date;
  lastUpdated: Date;
}

const name = Type.String({
  maxLength: 255,
  description: 'Without slashes; used once among the folders beside it, whatever its case',
  examples: ['Campaigns 2026'],
});
const parentId = Type.Integer({ ...Id, description: 'The folder that it lies in; the top level if absent' });

export const NewFolder = Type.Object({ name, parentId: Type.Optional(parentId) }, { title: 'NewAssetFolder' });
export const FolderChange = Type.Object(
  { name: Type.Optional(name), parentId: Type.Optional(deletable(parentId)) },
  { title: 'AssetFolderChange' },
);

export const FolderAnswer = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    parentId: Type.Optional(Type.Integer()),
    path: Type.Array(Type.String(), {
      description: 'The names of the folders around it and its own, the outermost first',
      examples: [['Marketing', 'Campaigns 2026']],
    }),
    foldersCount: Type.Integer({ description: 'How many folders lie in it' }),
    assetsCount: Type.Integer({ description: 'How many assets that the caller sees lie in it' }),
    createdBy: Type.String(),
    dateCreated: Type.String({ description: 'ISO 8601' }),
    lastUpdated: Type.String({ description: 'ISO 8601' }),
  },
  { title: 'AssetFolder' },
);

export const folderAnswer = (folder: Folder, assetsCount: number): Static<typeof FolderAnswer> => ({
  id: folder.id,
  name: folder.name,
  ...(folder.parentId !== null && { parentId: folder.parentId }),
  path: folder.path,
  foldersCount: folder.foldersCount,
  assetsCount,
  createdBy: folder.createdBy,
  dateCreated: folder.dateCreated.toISOString(),
  lastUpdated: folder.lastUpdated.toISOString(),
});

export function folderName(given: string): string {
  const name = given.normalize('NFC').trim();
  const wrong = titleError('name', name);
  if (wrong) throw new Problem('INVALID_PARAMETER', { errors: [wrong] });
  if (/[/\\]/.test(name) || /^\.+$/.test(name)) {
    throw invalidField(
      'name',
      'pattern',
      'name must not have slashes or be only dots: each folder has a name of its own.',
    );
  }
  return name;
}

export const tooDeep = () =>
  invalidField('parentId', 'depth', `Folders may lie in each other ${deepestFolder} deep. Choose a parent further up.`);
