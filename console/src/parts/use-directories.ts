import type { ResponseOf } from '../api/call.ts';
import { useApi } from '../api/use-api.ts';
import { inWords } from '../texts/t.ts';

export type Directory = ResponseOf<'GET /api/directories'>['directories'][number];

export function useDirectories(): Directory[] {
  const { data } = useApi('GET /api/directories', undefined, { staleTime: Number.POSITIVE_INFINITY });
  return data?.directories ?? [];
}

/** GOOGLE → Google */
export function useDirectoryName(): (type: string) => string {
  const directories = useDirectories();
  return (type) => directories.find((one) => one.type === type)?.name ?? inWords(type);
}
