import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { guardIssuedIds } from './cell.ts';
import { Database } from './connection.ts';
import { stopPostmaster } from './embedded/cluster.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { migrate } from './migrate.ts';

const otherProgram = new URL('../../test/support/embedded-server-process.ts', import.meta.url);
const quietly = { log: pino({ level: 'silent' }), settings: { fsync: 'off' } };
const isRoot = process.getuid?.() === 0;
const roleOf = `select current_user as name, rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as special,
  pg_get_userbyid((select datdba from pg_database where datname = current_database())) as owner
  from pg_roles where rolname = current_user`;
const ordinary = { name: 'waypost_service', special: false, owner: 'waypost_service' };
// Several tests create databases, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let dataDir: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-embedded-'));
  await chmod(folder, 0o755);
  dataDir = join(folder, 'data');
  const server = await startEmbeddedServer({ dataDir, ...quietly });
  await query(server.url, "create table kept as select 'one' as fact");
  await server.stop();
});
afterAll(() => rm(folder, { recursive: true }));

test('creates a private database, also after an interrupted first start', async () => {
  const fresh = join(folder, 'fresh');
  await mkdir(join(fresh, 'postgres/unfinished-1'), { recursive: true, mode: 0o700 });
  await chmod(fresh, 0o700);
  const server = await start(fresh);
  expect(await query(server.url, 'select current_database() as name')).toEqual([{ name: 'waypost' }]);
  const paths = ['', 'postgres', 'postgres/cluster', 'postgres/password'].map((path) => join(fresh, path));
  expect(await Promise.all(paths.map(mode))).toEqual([isRoot ? 0o710 : 0o700, 0o700, 0o700, 0o600]);
  expect(await readdir(join(fresh, 'postgres'))).not.toContain('unfinished-1');
});

test('keeps its data and URL across a restart', async () => {
  const before = await start();
  await before.stop();
  expect(await isRunning()).toBe(false);
  const after = await start();
  expect(after.url).toBe(before.url);
  expect(await facts(after)).toContain('one');
});

test('reports a missing password file', async () => {
  const path = join(dataDir, 'postgres/password');
  const password = await readFile(path);
  const { uid, gid } = await stat(path);
  await rm(path);
  await expect(start()).rejects.toThrow(/password .* cannot be read from .*\/password \(ENOENT\)\. Restore the file/);
  await writeFile(path, password, { mode: 0o600 });
  await chown(path, uid, gid);
});

test('reports a data folder that was copied without its database', async () => {
  const copy = join(folder, 'copy');
  await cp(dataDir, copy, { recursive: true, filter: (path) => path !== join(dataDir, 'postgres') });
  const missing = (home: string) => `${join(home, 'cluster')} does not exist. If the data folder was copied,`;
  await expect(start(copy)).rejects.toThrow(missing(join(copy, 'postgres')));
  expect(await readdir(copy)).not.toContain('postgres');

  const pointing = join(folder, 'pointing');
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(pointing);
  await writeFile(join(pointing, 'postgres-folder'), `${elsewhere}\n`);
  await expect(start(pointing)).rejects.toThrow(missing(elsewhere));
});

test('the service connects as an ordinary role that owns its database', async () => {
  const server = await start();
  expect(await query(server.url, roleOf)).toEqual([ordinary]);
  expect(server.url).not.toContain(new URL(server.superuserUrl).password);
});

test('transfers a database of the superuser to the service role', async () => {
  const before = await start(join(folder, 'earlier'));
  const url = new URL(before.superuserUrl);
  await query(url.href, 'drop database waypost with (force)');
  await query(url.href, 'drop owned by waypost_service; drop role waypost_service');
  await query(url.href, 'create database waypost');
  url.pathname = '/waypost';
  const log = pino({ level: 'silent' });
  await migrate({ url: url.href });
  await query(url.href, "create type mood as enum ('fine'); create view moods as select 'fine'::mood as mood");
  await before.stop();

  const after = await start(join(folder, 'earlier'));
  expect(await query(after.url, roleOf)).toEqual([ordinary]);
  await query(after.url, "delete from migrations where name = '0016-deprecated-use.sql'");
  await query(after.url, 'drop table deprecated_use cascade');
  expect(await migrate(after)).toEqual(['0016-deprecated-use.sql']);
  const database = new Database(after.url, { connections: 2, name: 'waypost tests' });
  await guardIssuedIds(database, log).finally(() => database.close());
  const remaining = `select relname as name from pg_class where relowner = 10 and relnamespace::regnamespace::text !~ '^(pg_|information)'
    union all select proname from pg_proc where proowner = 10 and pronamespace::regnamespace::text !~ '^(pg_|information)'
    union all select typname from pg_type where typowner = 10 and typnamespace::regnamespace::text !~ '^(pg_|information)'
    union all select nspname from pg_namespace where nspowner = 10 and nspname !~ '^(pg_|information)'`;
  expect(await query(after.url, remaining)).toEqual([]);
});

test('requires a password', async () => {
  const server = await start();
  const intruder = new URL(server.url);
  intruder.password = 'guess';
  await expect(query(intruder.href, 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('reuses and finally stops the server of a killed process', async () => {
  const other = await startElsewhere();
  const pid = await postmasterPid();
  await kill(other.process);
  const server = await start();
  expect(server.owned).toBe(true);
  expect(await postmasterPid()).toBe(pid);
  await server.stop();
  expect(await isRunning()).toBe(false);
});

test('two processes share one server, and the last one stops it', async () => {
  const other = await startElsewhere();
  const server = await start();
  expect([other.owned, server.owned]).toEqual([true, false]);
  await server.stop();
  expect(await isRunning()).toBe(true);
  const third = await start();
  await other.leave();
  expect(await query(third.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await third.stop();
  expect(await isRunning()).toBe(false);
});

test('concurrent starts use the same server', async () => {
  const [one, two, three] = await Promise.all([start(), startElsewhere(), startElsewhere()]);
  expect([one.owned, two.owned, three.owned].filter(Boolean)).toHaveLength(1);
  await Promise.all([one.stop(), two.leave(), three.leave()]);
  expect(await isRunning()).toBe(false);
});

test('ignores a stale process id that another program uses', async () => {
  const other = await startElsewhere();
  const [pid, lines] = [await postmasterPid(), await readFile(pidFile(), 'utf8')];
  await kill(other.process);
  process.kill(pid, 'SIGKILL');
  await writeFile(pidFile(), lines.replace(String(pid), String(process.pid)));
  const server = await start();
  expect(await facts(server)).toContain('one');
});

test('uses the running server of another container, whose process id is not visible', async () => {
  const other = await startElsewhere();
  const lines = await readFile(pidFile(), 'utf8');
  const hidden = lines.replace(/^\d+/, String(2 ** 31 - 2));
  await writeFile(pidFile(), hidden);
  const server = await start();
  expect(server.owned).toBe(false);
  await server.stop();
  expect(await readFile(pidFile(), 'utf8')).toBe(hidden);
  await writeFile(pidFile(), lines);
  await other.leave();
  expect(await isRunning()).toBe(false);
});

test('does not stop another program that has the process id of a crashed server', async () => {
  const program = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void program.kill('SIGKILL'));
  await once(program, 'spawn');
  await stopPostmaster(program.pid as number, join(dataDir, 'postgres/cluster'));
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

test('restarts a killed server at the same URL with all committed data', async () => {
  const server = await start();
  await query(server.url, "insert into kept values ('two')");
  process.kill(await postmasterPid(), 'SIGKILL');
  const found = await vi.waitUntil(() => facts(server).catch(() => undefined), { timeout: 15_000 });
  expect(found).toContain('two');
});

test('stops when its locks cannot be acquired', async () => {
  const unlocked = join(folder, 'unlocked');
  const server = await start(unlocked);
  for (const name of ['postgres-door.lock', 'postgres-users.lock']) {
    await rm(join(unlocked, name));
    await mkdir(join(unlocked, name));
  }
  await server.stop();
  await expect(query(server.url, 'select 1')).rejects.toThrow();
});

test('accepts any folder name', async () => {
  const server = await start(join(folder, 'Müller, "Söhne" & Co. %20'));
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('reports why the server cannot start', async () => {
  const refused = startEmbeddedServer({
    dataDir,
    log: pino({ level: 'silent' }),
    settings: { shared_buffers: 'lots' },
  });
  await expect(refused).rejects.toThrow(/did not start: .*shared_buffers/);
});

test.runIf(isRoot)('root finds another place for a database that its account could not reach', async () => {
  const hidden = join(folder, 'hidden');
  await mkdir(hidden, { mode: 0o700 });
  const first = await start(join(hidden, 'data'));
  await query(first.url, "create table kept as select 'elsewhere' as fact");
  await first.stop();
  const place = (await readFile(join(hidden, 'data/postgres-folder'), 'utf8')).trim();
  expect(place).toMatch(/^\/var\/lib\/waypost\//);
  const second = await start(join(hidden, 'data'));
  expect(await facts(second)).toEqual(['elsewhere']);
  await second.stop();
  await rm(place, { recursive: true });
});

async function start(at = dataDir) {
  const server = await startEmbeddedServer({ dataDir: at, ...quietly });
  onTestFinished(() => server.stop());
  return server;
}

async function startElsewhere(): Promise<{ process: ChildProcess; owned: boolean; leave(): Promise<void> }> {
  const child = fork(otherProgram, [dataDir]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [{ owned }] = (await once(child, 'message')) as [{ owned: boolean }];
  const leave = async () => {
    child.send('leave');
    await once(child, 'exit');
  };
  return { process: child, owned, leave };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function facts({ url }: { url: string }): Promise<unknown[]> {
  return (await query(url, 'select fact from kept')).map((row) => row.fact);
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function pidFile(): string {
  return join(dataDir, 'postgres/cluster/postmaster.pid');
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(pidFile(), 'utf8')).split('\n')[0]);
}

async function isRunning(): Promise<boolean> {
  return (await stat(pidFile()).catch(() => undefined)) !== undefined;
}

async function mode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
