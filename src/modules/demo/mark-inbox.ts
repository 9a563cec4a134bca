import type { Sql } from '../../database/connection.ts';
import { fullReach } from '../../http/access.ts';
import { type Datapoint, listInbox, type Marks, markDatapoints, positionOf } from '../feedback/index.ts';
import { SeededRandom } from './seeded-random.ts';

const dayMs = 86_400_000;
/** Older datapoints are mostly marked as read. */
const recentDays = 14;
const pageSize = 1000;

/** Marks most old datapoints of locations or brand pages as read, and a few as liked or flagged. */
export async function markInbox(
  sql: Sql,
  partnerId: number,
  of: 'locationIds' | 'directoryBusinessPageIds',
  ids: readonly number[],
  { seed, now }: { seed: string; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  const viewer = { partnerId, reach: fullReach };
  const filter = { [of]: [...ids], maxThreadActionDate: now.getTime() - recentDays * dayMs };
  const search = { ...viewer, filter, sort: 'threadActionDate', order: 'ASC' } as const;
  let after: readonly string[] | undefined;
  for (;;) {
    const page = await listInbox(sql, search, { offset: 0, limit: pageSize, ...(after && { after }) });
    const marked = Map.groupBy(page, (datapoint) => JSON.stringify(marksOf(datapoint, seed)));
    for (const [marks, datapoints] of marked) {
      const given: Marks = JSON.parse(marks);
      if (Object.keys(given).length > 0) {
        await markDatapoints(
          sql,
          viewer,
          datapoints.map(({ id }) => id),
          given,
        );
      }
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = positionOf(search.sort, last);
  }
}

function marksOf({ externalId, rating }: Pick<Datapoint, 'externalId' | 'rating'>, seed: string): Marks {
  const random = new SeededRandom(seed, 'marks', externalId);
  if (!random.chance(0.93)) return {};
  return {
    read: true,
    ...(rating === 5 && random.chance(0.06) && { liked: true }),
    ...(rating !== null && rating <= 2 && random.chance(0.1) && { flagged: true }),
  };
}
