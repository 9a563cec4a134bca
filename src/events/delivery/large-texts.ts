import type { Sql } from '../../database/connection.ts';
import { type DueDelivery, isLarge } from './due-deliveries.ts';

/** Of texts in hand; each is held about three times, with its signature and as a request. */
const mostBytes = 32 * 1024 * 1024;

/**
 * The texts of large events that a worker holds at a time. They are read apart from the queue, each when there is room
 * for it: 1,024 deliveries of 900 kB would otherwise take a gigabyte.
 */
export class LargeTexts {
  readonly #sql: Sql;
  #bytes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Answers the deliveries that have a text now. Those that are large are to be released. */
  async read(due: readonly DueDelivery[]): Promise<readonly DueDelivery[]> {
    if (!due.some(isLarge)) return due;
    const admitted = due.filter((delivery) => isLarge(delivery) && this.#admit(delivery));
    try {
      const texts = await readTexts(this.#sql, admitted);
      for (const delivery of admitted) delivery.eventText = texts.get(delivery.eventId) ?? '';
    } catch (error) {
      for (const delivery of admitted) this.release(delivery);
      throw error;
    }
    return due.filter((delivery) => !isLarge(delivery) || admitted.includes(delivery));
  }

  release(delivery: DueDelivery): void {
    if (isLarge(delivery)) this.#bytes -= delivery.bytes;
  }

  /** One larger than all of the room goes alone. */
  #admit({ bytes }: DueDelivery): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > mostBytes) return false;
    this.#bytes += bytes;
    return true;
  }
}

async function readTexts(sql: Sql, due: readonly DueDelivery[]): Promise<Map<number, string>> {
  const { rows } = await sql.query<{ id: number; body: string }>({
    name: 'read-large-texts',
    text: `select event.id, event.body from unnest($1::bigint[], $2::timestamptz[]) as wanted (id, recorded_at)
           cross join lateral (
             select id, body from events where id = wanted.id and recorded_at = wanted.recorded_at limit 1
           ) as event`,
    values: [due.map(({ eventId }) => eventId), due.map(({ recordedAt }) => recordedAt)],
  });
  return new Map(rows.map(({ id, body }) => [id, body]));
}
