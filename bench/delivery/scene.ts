import type { Database } from '../../src/database/connection.ts';
import { exampleEvent } from '../../src/events/catalogue/catalogue.ts';
import { initialWindow } from '../../src/events/delivery/health.ts';
import { canonicalJson } from '../../src/events/signing/canonical-json.ts';
import { hashKey, newWebhookSecret } from '../../src/events/signing/keys.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { filterPath } from '../../src/events/subscriptions/filter.ts';
import { newCredential } from '../../src/http/credential.ts';

const type = 'LISTING_SYNC_CHECK';
let partners = 0;

/** Matches every event of the benchmark. */
const filter = { field: 'directoryType', equals: exampleEvent(type).directoryType } as const;

/** Creates a partner with a webhook for each URL and returns its id. The first `filtered` webhooks have a filter. */
export async function createTargets(
  database: Database,
  masterKey: Buffer,
  urls: readonly string[],
  { window = initialWindow, ordered = false, filtered = 0 } = {},
): Promise<number> {
  const id = ++partners;
  const sealer = new Sealer(masterKey);
  const privateKey = await newCredential(database.pool, 'privateKey');
  await database.transaction(async (sql) => {
    await sql.query(
      `insert into sales_partners (id, identifier, name, api_version, lineage, public_key)
       values ($1::bigint, $2, 'Bench', '20260713', array[$1::bigint], $3)`,
      [id, `bench-${id}`, await newCredential(sql, 'publicKey')],
    );
    await sql.query('insert into partner_keys (partner_id, hash, sealed) values ($1, $2, $3)', [
      id,
      hashKey(privateKey),
      sealer.seal(privateKey),
    ]);
    await sql.query(
      `with created as (
         insert into webhooks (partner_id, type, push_url, secret, ordered, filter, filter_path)
         select $1, $2, url, $3, $6, case when place <= $7 then $8::jsonb end, case when place <= $7 then $9::jsonpath end
         from unnest($4::text[]) with ordinality as given (url, place) returning id
       )
       insert into webhook_health (webhook_id, send_window) select id, $5 from created`,
      [
        id,
        type,
        sealer.seal(newWebhookSecret()),
        urls,
        window,
        ordered,
        filtered,
        JSON.stringify(filter),
        filterPath(filter),
      ],
    );
  });
  return id;
}

/** Inserts many waiting rows, spread over the partner's webhooks. */
export async function fillByStatement(database: Database, partner: number, rows: number): Promise<void> {
  await database.pool.query(
    `with hooks as (
       select id, row_number() over (order by id) - 1 as place, count(*) over () as total
       from webhooks where partner_id = $1
     ), recorded as (
       insert into events (id, recorded_at, partner_id, type, body)
       select nextval('event_id'), now(), $1, $2, $3 from generate_series(1, $4::integer)
       returning id, recorded_at
     )
     insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
     select recorded.id, hooks.id, recorded.recorded_at, 0, recorded.recorded_at, 0, 0
     from recorded join hooks on hooks.place = recorded.id % hooks.total`,
    [partner, type, canonicalJson(exampleEvent(type)), rows],
  );
  // Done now, so that autovacuum does not run during the measurement.
  await database.pool.query('vacuum analyze delivery_queue, events');
}

export async function clearQueue(database: Database): Promise<void> {
  await database.pool.query('truncate delivery_queue');
}

export async function waiting(database: Database): Promise<boolean> {
  const { rows } = await database.pool.query<{ some: boolean }>('select exists (select from delivery_queue) as some');
  return rows[0]?.some ?? false;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
