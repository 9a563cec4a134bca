import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../test/support/cli.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { Sealer } from '../events/signing/sealer.ts';
import { createDemoPartner } from '../service/demo.ts';

async function installation({ demo = true } = {}) {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const masterKey = randomBytes(32);
  if (demo) await createDemoPartner(database.pool, new Sealer(masterKey));
  return { database, env: { DATABASE_URL: database.url, WAYPOST_MASTER_KEY: masterKey.toString('base64') } };
}

test.each([
  ['--locations', '0', /--locations is "0": set it to a whole number from 1 to 100000/],
  ['--locations', '100001', /set it to a whole number from 1 to 100000/],
  ['--locations', 'many', /--locations is "many"/],
  ['--seed', '-1', /--seed is "-1": set it to a whole number/],
  ['--seed', 'x', /--seed is "x": set it to a whole number/],
])('%s %s is not accepted', async (option, value, sentence) => {
  const { code, stderr } = await runCli(['demo', `${option}=${value}`]);
  expect(code).toBe(2);
  expect(stderr).toMatch(sentence);
});

test('requires demo mode', async () => {
  const { database, env } = await installation();
  const { code, stderr } = await runCli(['demo'], { ...env, WAYPOST_DEMO: 'off' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/Demo mode is disabled\. Set WAYPOST_DEMO to on/);
  expect((await database.pool.query('select from tasks')).rowCount).toBe(0);
});

test('requires the demo partner', async () => {
  const { env } = await installation({ demo: false });
  const { code, stderr } = await runCli(['demo'], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/There is no demo partner yet\. Run "npm start" to create it/);
});

test('creates the data itself if Waypost is not running', { timeout: 180_000 }, async () => {
  const { database, env } = await installation();
  const { code, stdout, stderr } = await runCli(['demo', '--locations', '2', '--seed', '7'], {
    ...env,
    WAYPOST_LOG_LEVEL: 'error',
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/2 locations by seed 7/) });
  expect(stdout).toMatch(/^ +0 % /);
  expect(stdout).toMatch(/100 % {2}2 locations, \d+ new listings/);
  const { rows } = await database.pool.query('select identifier, status, source from locations order by identifier');
  expect(rows).toEqual([
    { identifier: 'demo-bakery-7-00001', status: 'ACTIVE', source: 'DEMO_JOB' },
    { identifier: 'demo-coffee-7-00001', status: 'ACTIVE', source: 'DEMO_JOB' },
  ]);
});
