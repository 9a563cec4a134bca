import type { ResponseOf } from '../api/call.ts';
import { useApi } from '../api/use-api.ts';
import { inWords } from '../texts/t.ts';
import type { Option } from './filters.ts';

export type Directory = ResponseOf<'GET /api/directories'>['directories'][number];

export function useDirectories(): Directory[] {
  const { data } = useApi('GET /api/directories', undefined, { staleTime: Number.POSITIVE_INFINITY });
  return data?.directories ?? [];
}

export const useDirectoryOptions = (): Option[] =>
  useDirectories().map(({ type, name }) => ({ value: type, label: name }));

/** GOOGLE → Google */
export function useDirectoryName(): (type: string) => string {
  const directories = useDirectories();
  return (type) => directories.find((one) => one.type === type)?.name ?? inWords(type);
}
