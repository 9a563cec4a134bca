import type { Sql } from '../../database/connection.ts';
import { type DueDelivery, isLarge } from './due-deliveries.ts';

/** Each text is in memory about three times: as read, signed and as a request. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Limits the memory for texts of large events: 1,024 deliveries of 900 kB would take a gigabyte. They are not read with
 * the queue but when there is capacity. Every webhook may always hold one, so that slow receivers of other webhooks do
 * not block it.
 */
export class LargeTexts {
  readonly #sql: Sql;
  readonly #heldBy = new Map<number, number>();
  #bytes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the texts that fit and returns the deliveries that are ready. Each of them must be released. */
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
    if (!isFirst && this.#bytes + delivery.bytes > maxBytes) return false;
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
