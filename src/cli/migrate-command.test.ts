import pg from 'pg';
import { expect, test } from 'vitest';
import { runCli, startCli } from '../../test/support/cli.ts';
import { createEmptyDatabase, createTestDatabase } from '../../test/support/database.ts';
import { version } from '../config.ts';
import { migrationNames } from '../database/schema-state.ts';

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(text).finally(() => client.end());
}

test('plans and applies all migrations of an empty database', { timeout: 60_000 }, async () => {
  const env = { DATABASE_URL: await createEmptyDatabase() };
  const names = await migrationNames();
  const plan = await runCli(['migrate', '--plan'], env);
  expect(plan).toMatchObject({ code: 0, stderr: '' });
  for (const name of names) expect(plan.stdout).toMatch(new RegExp(`^${name} +no existing table$`, 'm'));
  expect(plan.stdout).toContain('The tables of jobs (graphile_worker) are created or updated.');
  expect((await query(env.DATABASE_URL, "select to_regclass('migrations') as found")).rows).toEqual([{ found: null }]);

  const first = await runCli(['migrate'], env);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain(
    `${names.length} migrations applied: the database has the schema of version ${version}.`,
  );
  const second = await runCli(['migrate'], env);
  expect(second).toMatchObject({
    code: 0,
    stdout: `No migration was pending: the database has the schema of version ${version}.\n`,
  });
  expect((await runCli(['migrate', '--plan'], env)).stdout).toMatch(/^No migration is pending/);
});

test('the plan names locks, their effect and the size of the tables', async () => {
  const database = await createTestDatabase();
  await database.pool.query("delete from migrations where name = '0043-webhook-alerts.sql'");
  await database.pool.query('analyze users');
  const { stdout } = await runCli(['migrate', '--plan'], { DATABASE_URL: database.url });
  expect(stdout).toMatch(/^0043-webhook-alerts\.sql +sales_partners +SHARE ROW EXCLUSIVE +writes +\d/m);
  expect(stdout).toMatch(/^ +users +ACCESS EXCLUSIVE +reads and writes +[\d.]+ kB +\d+$/m);
  await database.close();
});

test.each(['start', 'serve', 'work'])(
  '"waypost %s" refuses a database that is not migrated',
  { timeout: 60_000 },
  async (name) => {
    const database = await createTestDatabase();
    await database.pool.query("delete from migrations where name = '0043-webhook-alerts.sql'");
    const key = Buffer.alloc(32).toString('base64');
    const { code, stderr } = await startCli([name], { DATABASE_URL: database.url, WAYPOST_MASTER_KEY: key, PORT: '0' })
      .ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^The database of DATABASE_URL must be migrated first \(0043-webhook-alerts\.sql\)\. Run "waypost migrate"/,
      ),
    });
    await database.close();
  },
);

test('reports a database that cannot be reached', async () => {
  const { code, stderr } = await startCli(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' }).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The database of DATABASE_URL cannot be used \(.*ECONNREFUSED/);
});
