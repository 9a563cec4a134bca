import type { AssetFolder } from '../../api/api-types.ts';
import { loadProblem, useWholeList } from '../../api/use-api.ts';
import { t } from '../../texts/t.ts';

export const useFolders = () => useWholeList('GET /api/dam/folders', 'folders', (page) => ({ page, size: 1000 }));

/** Options for a parent folder. Omits `excluded` and its subfolders: a folder cannot be moved into itself. */
export function useFolderOptions(excluded?: AssetFolder) {
  const isExcluded = ({ path }: AssetFolder) => excluded?.path.every((name, index) => path[index] === name) ?? false;
  const found = useFolders();
  const options = (found.data ?? [])
    .filter((folder) => !isExcluded(folder))
    .map(({ id, path }) => ({ value: String(id), label: path.join(' / ') }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return { options: [{ value: '0', label: t('assets.folder.top') }, ...options], error: loadProblem(found) };
}
