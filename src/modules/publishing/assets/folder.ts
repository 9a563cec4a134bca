import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { titleError } from './file-kind.ts';

/** Maximum nesting, including the outermost folder. */
export const maxFolderDepth = 10;

export interface Folder extends Omit<Selectable<DB['assetFolders']>, 'partnerId'> {
  /** Names from the top-level folder down to this one. */
  path: string[];
  foldersCount: number;
}

const name = Type.String({
  maxLength: 255,
  description: 'Without slashes; unique within the parent folder, ignoring case',
  examples: ['Campaigns 2026'],
});
const parentId = Type.Integer({ ...Id, description: 'Id of the parent folder; the top level if absent' });

export const NewFolder = Type.Object({ name, parentId: Type.Optional(parentId) }, { title: 'NewAssetFolder' });
export const FolderChange = Type.Object(
  { name: Type.Optional(name), parentId: Type.Optional(deletable(parentId)) },
  { title: 'AssetFolderChange' },
);

export const FolderResponse = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    parentId: Type.Optional(Type.Integer()),
    path: Type.Array(Type.String(), {
      description: 'Folder names from the top level down to this folder',
      examples: [['Marketing', 'Campaigns 2026']],
    }),
    foldersCount: Type.Integer({ description: 'Number of direct subfolders' }),
    assetsCount: Type.Integer({ description: 'Number of assets in the folder that the caller can see' }),
    createdBy: Type.String(),
    dateCreated: Type.String({ description: 'ISO 8601' }),
    lastUpdated: Type.String({ description: 'ISO 8601' }),
  },
  { title: 'AssetFolder' },
);

export const folderResponse = (folder: Folder, assetsCount: number): Static<typeof FolderResponse> => ({
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
  const error = titleError('name', name);
  if (error) throw new Problem('INVALID_PARAMETER', { errors: [error] });
  if (/[/\\]/.test(name) || /^\.+$/.test(name)) {
    throw invalidField('name', 'pattern', 'name must not contain slashes or consist of dots only.');
  }
  return name;
}

export const tooDeep = () =>
  invalidField(
    'parentId',
    'depth',
    `Folders can be nested at most ${maxFolderDepth} levels deep. Choose a parent closer to the top level.`,
  );
