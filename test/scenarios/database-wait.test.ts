import { expect, test } from 'vitest';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { Fleet } from '../support/fleet.ts';

test('waits at start for an unreachable database', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create();
  const proxy = await DatabaseProxy.to(fleet.database.url);
  await proxy.cut();
  const service = fleet.start('start', { DATABASE_URL: proxy.url, PORT: '0' });
  await service.waitForOutput(/Waiting for the database: connect ECONNREFUSED/);
  await proxy.restore();
  await service.waitForOutput(/Waypost is running/);
  const { code, stderr } = await service.interrupt();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('waits at start for a read-only database, such as one in recovery', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create();
  const name = new URL(fleet.database.url).pathname.slice(1);
  await fleet.rows(`alter database ${name} set default_transaction_read_only = on`);
  const service = fleet.start('work');
  await service.waitForOutput(/Waiting for the database: cannot execute .* in a read-only transaction/);
  await fleet.rows(`alter database ${name} reset default_transaction_read_only`);
  await service.waitForOutput(/worker is running/);
  expect((await service.interrupt()).code).toBe(0);
});

test('connects through a Unix socket with a URL without a host', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create();
  const { username, password, port, pathname, searchParams } = new URL(fleet.database.url);
  const [row] = await fleet.rows<{ folders: string }>("select current_setting('unix_socket_directories') as folders");
  const folder = searchParams.get('host') ?? row?.folders.split(',')[0]?.trim();
  const url = `postgres://${username}:${password}@${pathname}?host=${folder}&port=${port}`;
  const service = fleet.start('serve', { DATABASE_URL: url, PORT: '0' });
  await service.waitForOutput(/Waypost is running/);
  expect((await service.interrupt()).code).toBe(0);
});

test('stops on Ctrl-C while it waits for the database', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create();
  const service = fleet.start('work', { DATABASE_URL: 'postgres://waypost@127.0.0.1:1/nowhere' });
  await service.waitForOutput(/Waiting for the database/);
  const { code, stderr } = await service.interrupt();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('runs jobs again after the database was read-only', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create();
  const name = new URL(fleet.database.url).pathname.slice(1);
  const service = fleet.start('work');
  await service.waitForOutput(/worker is running/);
  await fleet.rows(`alter database ${name} set default_transaction_read_only = on`);
  // New sessions are read-only: the job runner stops, or every job fails.
  await fleet.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'waypost%' and application_name <> 'waypost tests'`,
  );
  await service.waitForOutput(/"job\.failed".*read-only transaction|jobs\.not-started/);
  await fleet.rows(`alter database ${name} reset default_transaction_read_only`);
  await fleet.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'waypost%' and application_name <> 'waypost tests'`,
  );
  const [job] = await fleet.rows<{ id: number }>("select (graphile_worker.add_job('upkeep')).id");
  const pendingJob = 'select from graphile_worker.jobs where id = $1';
  await expect.poll(() => fleet.rows(pendingJob, [job?.id]), { timeout: 60_000 }).toEqual([]);
  expect((await service.interrupt()).code).toBe(0);
});
