import { useApi } from '../../api/use-api.ts';
import { inWords } from '../../texts/t.ts';

/** The directories and what they can do; they hardly ever change. */
export function useDirectories() {
  const { data } = useApi('GET /api/directories', {}, { staleTime: 3_600_000 });
  return data?.directories ?? [];
}

/** What people call a directory. */
export function useDirectoryName(): (type: string) => string {
  const directories = useDirectories();
  return (type) => directories.find((directory) => directory.type === type)?.name ?? inWords(type);
}
