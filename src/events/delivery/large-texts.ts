import type { Sql } from '../../database/connection.ts';
import { type DueDelivery, isLarge } from './due-deliveries.ts';

/** Of texts in hand; each is held about three times, with its signature and as a request. */
const mostBytes = 32 * 1024 * 1024;

/**
 * The texts of large events that a worker holds at a time, read apart from the queue: 1,024 deliveries of 900 kB would
 * otherwise take a gigabyte. Every webhook may hold one, so that slow receivers of others never keep it waiting; more
 * only as long as all of them fit.
 */
export class LargeTexts {
  readonly #sql: Sql;
  readonly #heldBy = new Map<number, number>();
  #bytes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns the deliveries whose text is there now. Each of them must be released. */
  async read(due: readonly DueDelivery[]): Promise<readonly DueDelivery[]> {
    if (!due.some(isLarge)) return due;
    const admitted = due.filter((delivery) => isLarge(delivery) && this.#admit(delivery));
    let texts = new Map<number, string>();
    try {
      texts = await readTexts(this.#sql, admitted);
    } finally {
      for (const delivery of admitted) {
        const text = texts.get(delivery.eventId);
        if (text === undefined) this.release(delivery);
        else delivery.eventText = text;
      }
    }
    return due.filter((delivery) => !isLarge(delivery) || delivery.eventText !== '');
  }

  release(delivery: DueDelivery): void {
    if (isLarge(delivery)) this.#count(delivery, -1);
  }

  #admit(delivery: DueDelivery): boolean {
    const isFirst = !this.#heldBy.has(delivery.webhookId);
    if (!isFirst && this.#bytes + delivery.bytes > mostBytes) return false;
    this.#count(delivery, 1);
    return true;
  }

  #count({ webhookId, bytes }: DueDelivery, by: 1 | -1): void {
    this.#bytes += by * bytes;
    const held = (this.#heldBy.get(webhookId) ?? 0) + by;
    if (held > 0) this.#heldBy.set(webhookId, held);
    else this.#heldBy.delete(webhookId);
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
