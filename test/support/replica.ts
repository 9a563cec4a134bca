import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { Database } from '../../src/database/connection.ts';
import { launchPostmaster, stopPostmaster } from '../../src/database/embedded/cluster.ts';
import { type Placement, placeServer } from '../../src/database/embedded/placement.ts';
import { startEmbeddedServer } from '../../src/database/embedded-server.ts';
import { migrate } from '../../src/database/migrate.ts';
import { databaseOn } from './database.ts';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const log = pino({ level: 'silent' });
const quick = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '100' };
const primarySettings = { ...quick, wal_level: 'replica', max_wal_senders: '4', wal_keep_size: '256MB' };
// Conflicting statements are cancelled at once.
const replicaSettings = { ...quick, max_standby_streaming_delay: '0', listen_addresses: '127.0.0.1' };

type Server = Awaited<ReturnType<typeof startEmbeddedServer>>;

/** A migrated primary and its streaming replica, both on loopback. */
export class ReplicatedServers {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  readonly #folder: string;
  readonly #primary: Server;
  readonly #placement: Placement;
  readonly #port: number;
  #pid = 0;

  private constructor(folder: string, primary: Server, placement: Placement, port: number) {
    this.#folder = folder;
    this.#primary = primary;
    this.#placement = placement;
    this.#port = port;
    this.primaryUrl = primary.url;
    this.replicaUrl = this.#onReplica(primary.url);
  }

  static async start(): Promise<ReplicatedServers> {
    const folder = await mkdtemp(join(tmpdir(), 'waypost-replica-'));
    await chmod(folder, 0o755);
    const primary = await startEmbeddedServer({ dataDir: join(folder, 'primary'), log, settings: primarySettings });
    const database = new Database(primary.url, { connections: 1, name: 'waypost tests' });
    await migrate(database).finally(() => database.close());
    await mkdir(join(folder, 'replica'));
    const placement = await placeServer(join(folder, 'replica'), log);
    const servers = new ReplicatedServers(folder, primary, placement, await freePort());
    await servers.#copyPrimary(join(folder, 'primary/postgres/cluster'));
    await servers.startReplica();
    return servers;
  }

  async startReplica(): Promise<void> {
    const socketFolder = { unix_socket_directories: '' };
    this.#pid = await launchPostmaster(this.#placement, this.#port, { ...replicaSettings, ...socketFolder });
    for (;;) {
      const isReady = await this.onReplica('select 1').then(
        () => true,
        () => false,
      );
      if (isReady) return;
    }
  }

  async stopReplica(): Promise<void> {
    await stopPostmaster(this.#pid, this.#placement.cluster);
  }

  /** Runs a statement on the replica as the superuser, again if it conflicts with the replay. */
  async onReplica<Row extends object>(statement: string): Promise<Row[]> {
    for (;;) {
      try {
        return await this.#runOnReplica<Row>(statement);
      } catch (error) {
        if ((error as { code?: string }).code !== '40001') throw error;
      }
    }
  }

  async #runOnReplica<Row extends object>(statement: string): Promise<Row[]> {
    const client = new pg.Client({
      connectionString: this.#onReplica(databaseOn(this.#primary.superuserUrl, 'waypost')),
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async stop(): Promise<void> {
    await this.stopReplica();
    await this.#primary.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #onReplica(url: string): string {
    const address = new URL(url);
    address.searchParams.delete('host');
    address.host = `127.0.0.1:${this.#port}`;
    return address.href;
  }

  /** A base backup: the packaged binaries do not include pg_basebackup. */
  async #copyPrimary(from: string): Promise<void> {
    const { cluster, account } = this.#placement;
    const admin = new pg.Client({ connectionString: this.#primary.superuserUrl });
    await admin.connect();
    try {
      await admin.query("select pg_backup_start('replica', true)");
      await run('cp', ['-a', from, cluster]);
      const { rows } = await admin.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      await writeFile(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await admin.end();
    }
    await rm(join(cluster, 'postmaster.pid'), { force: true });
    await writeFile(join(cluster, 'standby.signal'), '');
    const { port, username, password } = new URL(this.#primary.superuserUrl);
    const source = `host=127.0.0.1 port=${port} user=${username} password=${password} sslmode=disable`;
    await appendFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    if (account) await run('chown', ['-R', `${account.uid}:${account.gid}`, cluster]);
  }
}
