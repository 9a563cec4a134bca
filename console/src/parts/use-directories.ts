import type { ResponseOf } from '../api/call.ts';
import { useApi } from '../api/use-api.ts';
import { inWords } from '../texts/t.ts';
import type { Option } from './filters.ts';

export type Directory = ResponseOf<'GET /api/directories'>['directories'][number];

const useDirectoryQuery = () => useApi('GET /api/directories', undefined, { staleTime: Number.POSITIVE_INFINITY });

export const useDirectories = (): Directory[] => useDirectoryQuery().data?.directories ?? [];

/** The metrics are undefined until the directories are loaded, or if that fails; empty for an unknown directory. */
export function useMetrics(type: string | undefined): { metrics: readonly string[] | undefined; isPending: boolean } {
  const { data, isPending } = useDirectoryQuery();
  return { metrics: data && (data.directories.find((one) => one.type === type)?.metrics ?? []), isPending };
}

export const useDirectoryOptions = (): Option[] =>
  useDirectories().map(({ type, name }) => ({ value: type, label: name }));

/** GOOGLE → Google */
export function useDirectoryName(): (type: string) => string {
  const directories = useDirectories();
  return (type) => directories.find((one) => one.type === type)?.name ?? inWords(type);
}
