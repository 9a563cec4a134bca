import type { Sql } from '../../database/connection.ts';
import { type Datapoint, listInbox, type Marks, markDatapoints } from '../feedback/index.ts';
import { Dice } from './dice.ts';

const dayMs = 86_400_000;
/** What is older has been seen to, most of it. */
const recentDays = 14;
const pageSize = 1000;

/** Leaves the inbox of locations or brand pages as somebody leaves it who looks into it now and then. */
export async function markInbox(
  sql: Sql,
  partnerId: number,
  of: 'locationIds' | 'directoryBusinessPageIds',
  ids: readonly number[],
  { seed, now }: { seed: string; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  const viewer = { partnerId, reach: { businessIds: null, locationIds: null } };
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
    after = page.at(-1)?.position;
    if (page.length < pageSize) return;
  }
}

function marksOf({ externalId, rating }: Datapoint, seed: string): Marks {
  const dice = new Dice(seed, 'marks', externalId);
  if (!dice.chance(0.93)) return {};
  return {
    read: true,
    ...(rating === 5 && dice.chance(0.06) && { liked: true }),
    ...(rating !== null && rating <= 2 && dice.chance(0.1) && { flagged: true }),
  };
}
