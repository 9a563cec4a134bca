import { useQueries } from '@tanstack/react-query';
import { call } from '../api/call.ts';

const chunk = 100;

/** Location names by id; names of earlier pages are cached. */
export function useLocationNames(ids: readonly (number | undefined)[]): (id: number | undefined) => string {
  const wanted = [...new Set(ids.filter((id) => id !== undefined))];
  const chunks = Array.from({ length: Math.ceil(wanted.length / chunk) }, (_, index) =>
    wanted.slice(index * chunk, (index + 1) * chunk),
  );
  const names = useQueries({
    queries: chunks.map((some) => {
      const query = { ids: some, fieldMask: ['name', 'city'], max: chunk };
      return {
        queryKey: ['GET /api/locations', { query }],
        queryFn: () => call('GET /api/locations', { query }),
        staleTime: 300_000,
      };
    }),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }) =>
          (data?.locations ?? []).map(({ id, name, city }) => [id, [name, city].filter(Boolean).join(', ')] as const),
        ),
      ),
  });
  return (id) => (id === undefined ? '' : (names.get(id) ?? ''));
}
