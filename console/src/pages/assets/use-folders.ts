import type { AssetFolder } from '../../api/api-types.ts';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../texts/t.ts';

export function useFolders(): AssetFolder[] {
  const { data } = useApi('GET /api/dam/folders', { query: { size: 500 } });
  return data?.folders ?? [];
}

export function useFolderOptions(without?: AssetFolder): { value: string; label: string }[] {
  const isInside = ({ path }: AssetFolder) => without?.path.every((name, index) => path[index] === name) ?? false;
  const options = useFolders()
    .filter((folder) => !isInside(folder))
    .map(({ id, path }) => ({ value: String(id), label: path.join(' / ') }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return [{ value: '0', label: t('assets.folder.top') }, ...options];
}
