import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startCli, temporaryFolder } from '../../test/support/cli.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** The reader exits without reading, as in a shell pipe. */
const intoNothing = (command: string) =>
  promisify(execFile)('sh', ['-c', `{ "$NODE" "$MAIN" ${command}; echo "code $?" >&2; } | true`], {
    env: { PATH: process.env.PATH, NODE: process.execPath, MAIN: main, WAYPOST_DATA_DIR: temporaryFolder() },
  });

test.each(['help', 'config', 'versions', 'sandbox --help', 'certificate --help', 'resend --help', 'trigger --help'])(
  'waypost %s ends without a stack when its reader has gone',
  async (command) => {
    const { stderr } = await intoNothing(command);
    expect(stderr).toBe('code 0\n');
  },
);

test('a service shuts down when its output is closed', { timeout: 90_000 }, async () => {
  const service = startCli(['start'], { PORT: '0', WAYPOST_SANDBOX: 'off', WAYPOST_DEMO_LOCATIONS: '0' });
  const baseUrl = await service.waitForOutput(/"service\.started".*"baseUrl":"([^"]+)"/);
  const exit = once(service.child, 'exit');
  service.child.stdout.destroy();
  // Each request writes a line to the log.
  const request = () =>
    fetch(`${baseUrl}/api/events`).then(
      () => 'served',
      () => 'stopped',
    );
  await expect.poll(request, { timeout: 60_000, interval: 100 }).toBe('stopped');
  expect(await exit).toEqual([0, null]);
  expect((await service.ended).stderr).toBe('');
});
