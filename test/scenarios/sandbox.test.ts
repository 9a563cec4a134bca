import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { Fleet } from '../support/fleet.ts';
import { processesOf } from '../support/sandbox-processes.ts';

const soon = { timeout: 30_000, interval: 50 };

/** A worker with a sandbox process, in a data folder that is kept between starts. */
async function create() {
  const dataDir = mkdtempSync(join(tmpdir(), 'waypost-with-sandbox-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const fleet = await Fleet.create({ WAYPOST_SANDBOX: 'on', WAYPOST_DEMO: 'off', WAYPOST_DATA_DIR: dataDir });
  const start = async () => {
    const worker = fleet.start('work');
    await worker.waitForOutput(/"service\.started"/);
    return worker;
  };
  return { dataDir, start };
}

test('the sandbox runs next to a worker, accepts commands, and exits on Ctrl-C', {
  timeout: 90_000,
}, async () => {
  const { dataDir, start } = await create();
  const worker = await start();
  expect(await processesOf(dataDir)).toHaveLength(1);
  const result = await runCli(['sandbox', 'status'], { WAYPOST_DATA_DIR: dataDir });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toMatch(/^GOOGLE +0 /m);
  expect(await worker.interrupt()).toMatchObject({ code: 0, stderr: '' });
  expect(await processesOf(dataDir)).toEqual([]);
});

test('a killed worker leaves no sandbox process, and the next worker restores its state', {
  timeout: 90_000,
}, async () => {
  const { dataDir, start } = await create();
  const killed = await start();
  await runCli(['sandbox', 'limit', 'google', '7'], { WAYPOST_DATA_DIR: dataDir });
  killed.child.kill('SIGKILL');
  await killed.ended;
  // Immediately: the next start must handle a sandbox that is still exiting.
  const next = await start();
  await expect.poll(async () => (await processesOf(dataDir)).length, soon).toBe(1);
  const { stdout } = await runCli(['sandbox', 'status'], { WAYPOST_DATA_DIR: dataDir });
  expect(stdout).toMatch(/^GOOGLE .* 7\/1s/m);
  next.child.kill('SIGKILL');
  await next.ended;
  await expect.poll(() => processesOf(dataDir), soon).toEqual([]);
});
