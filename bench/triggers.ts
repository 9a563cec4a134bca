/**
 * What triggers save: writes whose deltas are written by triggers, and the same writes with the triggers disabled and the
 * same deltas written by statements of the application, alternating. Reports ratios, because machines differ.
 */
import type { Database, Sql } from '../src/database/connection.ts';
import { median } from './delivery/scene.ts';
import { fill } from './platform/fill.ts';
import { withBench } from './support/server.ts';

const locations = 1000;

interface Write {
  table: string;
  /** Tables of the deltas. */
  deltas: readonly string[];
  update: string;
  /** The rows before the update, locked. */
  before: string;
  /** `$1` is a JSON array of the rows before the update, `$2` the location. */
  inserts: readonly string[];
}

const writes: Record<string, Write> = {
  'one location': {
    table: 'locations',
    deltas: ['location_deltas', 'home_waiting'],
    update: 'update locations set profile_completeness = 100 - profile_completeness where id = $1',
    before: 'select * from locations where id = $1 for no key update',
    inserts: [
      `insert into location_deltas (partner_id, business_id, status, classification, awaits_sync, locations, completeness)
       select partner_id, business_id, status, classification,
         awaits_sync(status, auto_sync, revision, synced_revision), sign,
         case sign when 1 then 100 - profile_completeness else -profile_completeness end
       from jsonb_populate_recordset(null::locations, $1), (values (-1), (1)) as sides (sign)
       where $2::bigint is not null`,
      `insert into home_waiting (partner_id, location_id)
       select partner_id, $2 from jsonb_populate_recordset(null::locations, $1)`,
    ],
  },
  'twelve listings': {
    table: 'listings',
    deltas: ['listing_deltas', 'home_waiting'],
    update: `update listings set sync_status = case sync_status when 'IN_SYNC' then 'NOT_IN_SYNC' else 'IN_SYNC' end
      where location_id = $1`,
    before: 'select * from listings where location_id = $1 for no key update',
    inserts: [
      `insert into listing_deltas
         (partner_id, business_id, directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked,
          listings, matching_fields, comparable_fields)
       select was.partner_id, location.business_id, directory_type, listing_kind(duplicate_of, suppressed_at), claim_status,
         flow_status, case when (sync_status = 'IN_SYNC') = (sign < 0) then 'IN_SYNC' else 'NOT_IN_SYNC' end,
         connect_status, external_id is not null, sign, sign * matching_fields, sign * comparable_fields
       from jsonb_populate_recordset(null::listings, $1) was
       join locations location on location.id = $2, (values (-1), (1)) as sides (sign)`,
      `insert into home_waiting (partner_id, location_id)
       select distinct partner_id, $2::bigint from jsonb_populate_recordset(null::listings, $1)`,
    ],
  },
  'twenty datapoints': {
    table: 'datapoints',
    deltas: ['feedback_deltas', 'home_waiting'],
    update: 'update datapoints set read = not read where location_id = $1',
    before: `select id, partner_id, business_id, action_date, directory_type, type, rating, owner_replied_at, read
      from datapoints where location_id = $1 for no key update`,
    inserts: [
      `insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
         response_seconds, analysed)
       select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), sign,
         sign * (owner_replied_at is not null)::integer, sign * (read = (sign > 0))::integer,
         response_seconds(type, action_date, owner_replied_at), 0
       from jsonb_populate_recordset(null::datapoints, $1), (values (-1), (1)) as sides (sign)
       where $2::bigint is not null`,
      `insert into home_waiting (partner_id, location_id)
       select distinct partner_id, $2::bigint from jsonb_populate_recordset(null::datapoints, $1)`,
    ],
  },
};

export const run = ({ quick }: { quick: boolean }): Promise<void> =>
  withBench(async ({ database, addPartner }) => {
    const { partner } = await addPartner();
    const { firstLocation } = await fill(database, partner.id, locations);
    const ratios: Record<string, number> = {};
    for (const [name, write] of Object.entries(writes)) {
      const { byTriggers, byStatements } = await compare(database, write, firstLocation, quick ? 4 : 10);
      ratios[name] = Number((byStatements / byTriggers).toFixed(2));
      console.log(
        `${name}: ${byTriggers.toFixed(0)} µs with triggers, ${byStatements.toFixed(0)} µs with statements of the ` +
          `application, ${ratios[name]} times`,
      );
    }
    console.log(JSON.stringify(ratios));
  });

async function compare(database: Database, write: Write, firstLocation: number, rounds: number) {
  const { table, deltas } = write;
  const times: Record<'enable' | 'disable', number[]> = { enable: [], disable: [] };
  const written = { enable: '', disable: '' };
  for (let round = 0; round < rounds; round++) {
    for (const triggers of ['enable', 'disable'] as const) {
      await database.pool.query(`alter table ${table} ${triggers} trigger user`);
      await database.pool.query(`truncate ${deltas.join(', ')}`);
      const start = performance.now();
      for (let n = 0; n < locations; n++) {
        await database.transaction((sql) => change(sql, write, firstLocation + n, triggers === 'enable'));
      }
      times[triggers].push(((performance.now() - start) * 1000) / locations);
      written[triggers] = await contents(database, deltas);
    }
    // The second change of a round undoes the first, so both write the opposite deltas: their number must be equal.
    if (written.enable !== written.disable) {
      throw new Error(`${table}: triggers wrote ${written.enable} deltas, statements ${written.disable}.`);
    }
  }
  await database.pool.query(`alter table ${table} enable trigger user`);
  return { byTriggers: median(times.enable), byStatements: median(times.disable) };
}

async function change(sql: Sql, write: Write, locationId: number, withTriggers: boolean): Promise<void> {
  if (withTriggers) {
    await sql.query(write.update, [locationId]);
    return;
  }
  const { rows } = await sql.query(write.before, [locationId]);
  await sql.query(write.update, [locationId]);
  for (const insert of write.inserts) await sql.query(insert, [JSON.stringify(rows), locationId]);
}

async function contents(database: Database, tables: readonly string[]): Promise<string> {
  const counts = await Promise.all(tables.map((table) => database.pool.query(`select count(*) from ${table}`)));
  return counts.map(({ rows }, index) => `${rows[0]?.count} ${tables[index]}`).join(', ');
}
