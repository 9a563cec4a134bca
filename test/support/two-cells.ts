import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../src/config.ts';
import { claimCell } from '../../src/database/cell.ts';
import type { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { cleanseJob } from '../../src/modules/locations/change-location.ts';
import { PartnerMove } from '../../src/service/partner-move/move-partner.ts';
import { isOwnedBy, partnerTables } from '../../src/service/partner-move/partner-tables.ts';
import { TestApi, type TestPartner } from './api.ts';
import { addAsset } from './assets.ts';
import { temporaryFolder } from './cli.ts';
import { configFor } from './data-folder.ts';
import { createTestDatabase } from './database.ts';
import { addLocation } from './locations.ts';

/** The databases of cells 0 and 1, with the same master key. */
export class TwoCells {
  readonly databases: readonly [Database, Database];
  readonly sealer: Sealer;
  readonly #masterKey: Buffer;

  private constructor(databases: readonly [Database, Database], masterKey: Buffer) {
    this.databases = databases;
    this.#masterKey = masterKey;
    this.sealer = new Sealer(masterKey);
  }

  static async create(): Promise<TwoCells> {
    const databases = [await createTestDatabase(), await createTestDatabase()] as const;
    for (const [cell, database] of databases.entries()) await claimCell(database, cell);
    return new TwoCells(databases, randomBytes(32));
  }

  startApis(): Promise<[TestApi, TestApi]> {
    const start = (database: Database) =>
      TestApi.start({ WAYPOST_RATE_LIMIT: '100000' }, database, undefined, undefined, this.sealer);
    return Promise.all([start(this.databases[0]), start(this.databases[1])]);
  }

  /** The settings of the processes of a cell. */
  envOf(cell: 0 | 1) {
    const { url } = this.databases[cell];
    return {
      DATABASE_URL: url,
      WAYPOST_CELL: String(cell),
      WAYPOST_MASTER_KEY: this.#masterKey.toString('base64'),
      WAYPOST_DATA_DIR: configFor({ url }).dataDir,
    };
  }

  /** The same as a file for --settings, removed after the test. */
  settingsOf(cell: 0 | 1, more: Record<string, string> = {}): string {
    const path = join(temporaryFolder(), `cell-${cell}.env`);
    const lines = Object.entries({ ...this.envOf(cell), ...more }).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(path, lines.join(''));
    return path;
  }

  #configOf = (cell: 0 | 1): Config => configFor(this.databases[cell], this.envOf(cell));

  /** `report` is called before each step; an error in it ends the move there. */
  async onMove<T>(
    rootId: number,
    from: 0 | 1,
    work: (move: PartnerMove) => Promise<T>,
    report: (line: string) => void = () => {},
  ): Promise<T> {
    const cells = [this.#configOf(from), this.#configOf(from === 0 ? 1 : 0)] as const;
    const move = await PartnerMove.open(rootId, cells, pino({ level: 'silent' }), report);
    return work(move).finally(() => move.close());
  }

  /** The tables with rows of these partners on a cell, with their numbers. */
  async rowsOf(cell: 0 | 1, partnerIds: readonly number[]): Promise<Record<string, number>> {
    const { pool } = this.databases[cell];
    const counts: Record<string, number> = {};
    for (const table of await partnerTables(pool)) {
      const { rowCount } = await pool.query(`select from ${table.name} where ${isOwnedBy(table, partnerIds)}`);
      if (rowCount) counts[table.table] = rowCount;
    }
    return counts;
  }

  /** Triggers, leases and notes of moves on a cell. */
  async tracesOfMoves(cell: 0 | 1): Promise<unknown[]> {
    const { rows } = await this.databases[cell].pool.query(
      `select tgname::text as trace from pg_trigger where tgname like 'partner_move%'
       union all select 'lease of ' || webhook_id from webhook_leases where worker_id = 0
       union all select 'job ' || id from graphile_worker.jobs where locked_by like 'partner-move%'
       union all select 'move of ' || partner_id from partner_moves
       union all select 'file ' || name from unsettled_files where state = 'ARRIVING'`,
    );
    return rows.map(({ trace }) => trace);
  }
}

export const emit = (partner: TestPartner, count = 1) =>
  partner.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count });

export type MovingPartner = Awaited<ReturnType<typeof addMovingPartner>>;

/** A root partner with a location, a file, a waiting job and a webhook. */
export async function addMovingPartner(api: TestApi, pushUrl = 'http://127.0.0.1:9/hook') {
  const partner = await api.addPartner();
  const { id: locationId } = await addLocation(partner);
  const asset = await addAsset(partner);
  await partner.call('POST', '/api/sales-partners/webhooks', { type: 'LOCATION_CREATED', pushUrl });
  await cleanseJob.enqueue(api.database.pool, { locationId }, { delaySeconds: 3600 });
  return { partner, rootId: partner.partner.id, locationId, file: new URL(asset.url).pathname };
}
