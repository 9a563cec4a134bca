import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../../config.ts';
import { cellOfId } from '../../database/cell.ts';
import type { Database } from '../../database/connection.ts';
import { beginMove, endMove, findMove, setMoveState } from '../../database/partner-moves.ts';
import { appliedHashes } from '../../database/schema-state.ts';
import { connectForCopy } from '../../database/table-copy.ts';
import type { Transaction } from '../../database/transaction.ts';
import { webhooksOf } from '../../events/delivery/leases.ts';
import { newestOrderedEvent } from '../../events/delivery/ordered-queue.ts';
import { listRunningTasks } from '../../jobs/tasks/task-store.ts';
import { listAllPartners } from '../../modules/accounts/index.ts';
import { importType } from '../../modules/locations/index.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { openFileStore } from '../../storage/open-file-store.ts';
import { readRegistry } from '../master-keys/key-registry.ts';
import { openPlatform } from '../open-platform.ts';
import { findStoreMismatch, markFiles } from '../shared-files.ts';
import { MovedFiles } from './copy-files.ts';
import { freeze, unfreeze } from './freeze.ts';
import { MovedJobs } from './moved-jobs.ts';
import {
  compareTable,
  copyTable,
  deletePartner,
  type PartnerTable,
  partnerTables,
  prepareTarget,
  withoutTriggers,
} from './partner-tables.ts';
import { type RoutingEntry, routingEntries } from './routing-maps.ts';

/** Called before each step, with a line for the operator. */
type Report = (line: string) => void;

/**
 * Moves a root partner with its child partners to another cell. The steps are noted in `partner_moves` of the source, so
 * that a move can be resumed by another process:
 *
 *   FREEZING  triggers refuse changes of the partner's rows, its deliveries and jobs are held back
 *   FROZEN    files and rows are copied; the rows in one transaction of the target
 *   MOVED     the target has the partner; the source refuses its changes until `finish` has deleted its rows
 */
export class PartnerMove {
  readonly #rootId: number;
  readonly #source: OpenCell;
  readonly #target: OpenCell;
  readonly #tables: readonly PartnerTable[];
  readonly #report: Report;

  private constructor(rootId: number, cells: readonly [OpenCell, OpenCell], tables: PartnerTable[], report: Report) {
    this.#rootId = rootId;
    [this.#source, this.#target] = cells;
    this.#tables = tables;
    this.#report = report;
  }

  /** Throws a ConfigurationProblem if the partner cannot be moved between these cells. */
  static async open(
    rootId: number,
    [here, there]: readonly [Config, Config],
    log: Logger,
    report: Report,
  ): Promise<PartnerMove> {
    const source = await openCell(here, log);
    let target: OpenCell | undefined;
    try {
      target = await openCell(there, log);
      const { rows } = await source.client.query<{ locked: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('partner move', 0)) as locked`,
      );
      if (!rows[0]?.locked) throw new ConfigurationProblem(`Another move from cell ${source.cell} is running.`);
      await requireCompatible(source, target);
      await requireFiles(here, source);
      await requireFiles(there, target);
      return new PartnerMove(rootId, [source, target], await partnerTables(source.client), report);
    } catch (error) {
      await target?.close();
      await source.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#target.close();
    await this.#source.close();
  }

  /** Continues where an earlier process stopped. Returns the entries for the maps of the load balancer. */
  async run(): Promise<RoutingEntry[]> {
    const { client, cell } = this.#source;
    const rootId = this.#rootId;
    let state = (await this.#findMove())?.state ?? (await this.#begin());
    if (state === 'FREEZING') {
      this.#report(`Freezing partner ${rootId} on cell ${cell}.`);
      const partnerIds = await freeze(client, rootId, this.#tables);
      this.#report('Waiting for the end of its jobs.');
      await this.#jobs(partnerIds).hold(client);
      await this.#requireNoImport(partnerIds);
      await this.#requireOrder(partnerIds);
      await setMoveState(client, rootId, 'FROZEN');
      state = 'FROZEN';
    }
    const partnerIds = (await this.#findMove())?.partnerIds ?? [];
    if (state === 'FROZEN') {
      // The process may have stopped between the commit and this note.
      if (!(await hasPartner(this.#target, rootId))) await this.#copy(partnerIds);
      await setMoveState(client, rootId, 'MOVED');
    }
    this.#report(`Partner ${rootId} is on cell ${this.#target.cell}. Cell ${cell} refuses its changes until --finish.`);
    return routingEntries(this.#target.client, this.#tables, partnerIds);
  }

  /** Until the rows are on the target. */
  async undo(): Promise<void> {
    const move = await this.#requireMove();
    const { client } = this.#source;
    if (await hasPartner(this.#target, this.#rootId)) {
      throw new ConfigurationProblem(
        `Partner ${this.#rootId} is on cell ${this.#target.cell} already. Finish the move with --finish, then move it back.`,
      );
    }
    this.#report('Removing the copied files.');
    await (await this.#files(move.partnerIds)).discard();
    this.#report('Removing the freeze.');
    // A move after an interrupted undo must freeze the partner again.
    await setMoveState(client, this.#rootId, 'FREEZING');
    await unfreeze(client, this.#rootId, move.partnerIds);
    await this.#jobs(move.partnerIds).release(client);
    await endMove(client, this.#rootId);
    this.#report(`The move was undone. Partner ${this.#rootId} is on cell ${this.#source.cell}.`);
  }

  /** Deletes the partner on the source. */
  async finish(): Promise<void> {
    const { state, partnerIds } = await this.#requireMove();
    const { client, cell } = this.#source;
    if (state !== 'MOVED' || !(await hasPartner(this.#target, this.#rootId))) {
      throw new ConfigurationProblem(
        `Partner ${this.#rootId} is not on cell ${this.#target.cell} yet. Run the move without --finish first.`,
      );
    }
    this.#report(`Deleting partner ${this.#rootId} on cell ${cell}.`);
    const files = await this.#files(partnerIds);
    await this.#jobs(partnerIds).delete(client);
    const deleted = await deletePartner(client, this.#tables, partnerIds, (names) => files.release(names));
    this.#report('Removing the freeze.');
    await unfreeze(client, this.#rootId, partnerIds);
    await endMove(client, this.#rootId);
    this.#report(`The move is finished: ${deleted} rows were deleted on cell ${cell}.`);
  }

  async #begin(): Promise<'FREEZING'> {
    const { client } = this.#source;
    await requireRoot(this.#source, this.#rootId);
    if (await hasPartner(this.#target, this.#rootId)) {
      throw new ConfigurationProblem(
        `Cell ${this.#target.cell} still has partner ${this.#rootId}. Run --finish of its move from that cell first.`,
      );
    }
    await beginMove(client, this.#rootId, this.#target.cell);
    return 'FREEZING';
  }

  async #findMove() {
    const move = await findMove(this.#source.client, this.#rootId);
    if (move && move.targetCell !== this.#target.cell) {
      throw new ConfigurationProblem(
        `Partner ${this.#rootId} is being moved to cell ${move.targetCell}: set --to to it.`,
      );
    }
    return move;
  }

  async #requireMove() {
    const move = await this.#findMove();
    if (!move) throw new ConfigurationProblem(`Partner ${this.#rootId} is not being moved from this cell.`);
    return move;
  }

  /** Uploaded files of imports are in the data folder of this cell. */
  async #requireNoImport(partnerIds: readonly number[]): Promise<void> {
    const imports = await listRunningTasks(this.#source.client, importType);
    if (!imports.some(({ partnerId }) => partnerIds.includes(partnerId))) return;
    throw new ConfigurationProblem(
      'The partner has an import of locations that is not finished. Run --undo, wait for its end or cancel it, and run ' +
        'the command again.',
    );
  }

  /** Ordered webhooks send the events of a location in the order of their ids. */
  async #requireOrder(partnerIds: readonly number[]): Promise<void> {
    const { client } = this.#source;
    const newest = await newestOrderedEvent(client, await webhooksOf(client, partnerIds));
    if (newest === null || cellOfId(newest) <= this.#target.cell) return;
    throw new ConfigurationProblem(
      `Deliveries of ordered webhooks are waiting. Cell ${this.#target.cell} has smaller ids, so newer events would be sent ` +
        'before them. Run --undo, wait for their end or discard them, and run the command again.',
    );
  }

  async #copy(partnerIds: readonly number[]): Promise<void> {
    const [source, target] = [this.#source.client, this.#target.client];
    const files = await this.#files(partnerIds);
    await markFiles(this.#target.database, this.#target.files);
    this.#report(`Copying ${files.names.length} files to cell ${this.#target.cell}.`);
    for (const name of await files.copy()) this.#report(`The file ${name} is missing in the store.`);
    await prepareTarget({ source, target }, this.#tables, partnerIds);
    this.#report('Copying rows.');
    try {
      await source.query('begin isolation level repeatable read read only');
      await target.query(`begin; ${withoutTriggers}`);
      for (const table of this.#tables) await copyTable({ source, target }, table, partnerIds);
      this.#report('Comparing rows.');
      let rows = 0;
      for (const table of this.#tables) rows += await compareTable({ source, target }, table, partnerIds);
      const jobs = await this.#jobs(partnerIds).copy(source, target);
      const transaction = { query: target.query.bind(target), notifyAfterCommit: () => {} } as Transaction;
      await files.confirm(transaction);
      this.#report(
        `Copied ${rows} rows of ${this.#tables.length} tables and ${jobs} jobs. All checksums are the same.`,
      );
      await target.query('commit');
      await source.query('commit');
    } catch (error) {
      // Not awaited: the source waits for a reader of its COPY until it is closed.
      source.query('rollback').catch(() => {});
      await target.query('rollback').catch(() => {});
      throw error;
    }
    this.#report(`Committed on cell ${this.#target.cell}.`);
  }

  async #files(partnerIds: readonly number[]): Promise<MovedFiles> {
    // The marker of the source shows whether the target uses the same store.
    await markFiles(this.#source.database, this.#source.files);
    const side = ({ client, files }: OpenCell) => ({ sql: client, files });
    return MovedFiles.find(partnerIds, side(this.#source), side(this.#target));
  }

  #jobs = (partnerIds: readonly number[]): MovedJobs => new MovedJobs(this.#rootId, partnerIds, this.#tables);
}

interface OpenCell {
  cell: number;
  database: Database;
  /** For COPY and for locks that last longer than a transaction. */
  client: pg.Client;
  files: FileStore;
  close(): Promise<void>;
}

async function openCell(config: Config, log: Logger): Promise<OpenCell> {
  const { database, close } = await openPlatform(config, log);
  try {
    const client = await connectForCopy(database.url, 'waypost partner move');
    // One side waits while the other one computes checksums.
    await client.query('set idle_in_transaction_session_timeout = 0');
    const files = openFileStore(config);
    const closeAll = async () => {
      await client.end();
      await files.close();
      await close();
    };
    return { cell: config.cell, database, client, files, close: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws if rows cannot be moved between the cells. */
async function requireCompatible(source: OpenCell, target: OpenCell): Promise<void> {
  const [here, there] = [await appliedHashes(source.client), await appliedHashes(target.client)];
  if (!isDeepStrictEqual(here, there)) {
    throw new ConfigurationProblem(
      `The databases of cell ${source.cell} and cell ${target.cell} have different migrations. Update both cells to the ` +
        'same version and run "waypost migrate".',
    );
  }
  await requireSameKeys(source, target);
  for (const { client, cell } of [source, target]) await requirePrivilege(client, cell);
}

/** --finish deletes the files of the source: they must be copied between the stores that the cells use. */
async function requireFiles(config: Config, { client, files, cell }: OpenCell): Promise<void> {
  const mismatch = await findStoreMismatch(config, client, files);
  if (mismatch !== undefined) throw new ConfigurationProblem(`Cell ${cell}: ${mismatch}`);
}

async function requireSameKeys(source: OpenCell, target: OpenCell): Promise<void> {
  const [here, there] = [await readRegistry(source.client), await readRegistry(target.client)];
  // Values without the mark of their key are those of the first key of the installation.
  const areMarked = here.former.length === 0 && here.unmarked !== here.current;
  if (here.current === there.current && (here.unmarked === there.unmarked || areMarked)) return;
  throw new ConfigurationProblem(
    `The master keys of cell ${source.cell} (fingerprint ${here.current}) and cell ${target.cell} (${there.current}) are ` +
      'not the same, or a rotation is not finished. Set WAYPOST_MASTER_KEY to the same key on both cells.',
  );
}

async function requirePrivilege(client: pg.Client, cell: number): Promise<void> {
  try {
    await client.query(`begin; ${withoutTriggers}; rollback`);
  } catch (error) {
    await client.query('rollback');
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new ConfigurationProblem(
      `The database role of cell ${cell} may not copy rows without triggers. Run this as a superuser of its PostgreSQL ` +
        `server: grant set on parameter session_replication_role to ${client.user};`,
    );
  }
}

async function hasPartner({ client }: OpenCell, id: number): Promise<boolean> {
  return (await listAllPartners(client)).some((partner) => partner.id === id);
}

/** Throws unless the partner has no parent: child partners move with their root partner. */
async function requireRoot({ client, cell }: OpenCell, id: number): Promise<void> {
  const partner = (await listAllPartners(client)).find((one) => one.id === id);
  if (!partner) {
    throw new ConfigurationProblem(
      `There is no partner ${id} on cell ${cell}. "waypost partners list" prints all partners.`,
    );
  }
  if (partner.parentId !== null) {
    throw new ConfigurationProblem(
      `Partner ${id} is a child of ${partner.parentId}. Move its root partner: child partners move with it.`,
    );
  }
}
