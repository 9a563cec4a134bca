import { useQueries } from '@tanstack/react-query';
import { useRef } from 'react';
import { callWith } from '../api/call.ts';

const chunk = 100;

/** Location names by id: undefined while they load, '' if unknown. Each name is requested once, also if the list of ids changes often. */
export function useLocationNames(ids: readonly (number | undefined)[]): (id: number | undefined) => string | undefined {
  const chunks = useRef<readonly number[][]>([]);
  chunks.current = chunksOf(new Set(ids.filter((id) => id !== undefined)), chunks.current);
  const names = useQueries({
    queries: chunks.current.map((some) => {
      const query = { ids: some, fieldMask: ['name', 'city'], max: chunk };
      return {
        queryKey: ['GET /api/locations', { query }],
        queryFn: ({ signal }: { signal: AbortSignal }) => callWith('GET /api/locations', { query }, { signal }),
        staleTime: 300_000,
        // A live list has many small chunks.
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      };
    }),
    combine: (results) =>
      new Map(
        results.flatMap(({ data, isPending }, index) => [
          ...(isPending ? (chunks.current[index] ?? []) : []).map((id) => [id, undefined] as const),
          ...(data?.locations ?? []).map(
            ({ id, name, city }) => [id, [name, city].filter(Boolean).join(', ')] as const,
          ),
        ]),
      ),
  });
  return (id) => (id !== undefined && names.has(id) ? names.get(id) : '');
}

/** Keeps the chunks that are still used, so that their names stay, and adds chunks for new ids. */
export function chunksOf(wanted: ReadonlySet<number>, before: readonly number[][]): number[][] {
  const kept = before.filter((ids) => ids.some((id) => wanted.has(id)));
  const known = new Set(kept.flat());
  const added = [...wanted].filter((id) => !known.has(id)).sort((a, b) => a - b);
  const count = Math.ceil(added.length / chunk);
  return [...kept, ...Array.from({ length: count }, (_, index) => added.slice(index * chunk, (index + 1) * chunk))];
}
