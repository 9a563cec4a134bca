import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { newPrivateKey, newSecret, signedBody, signedHeaders } from '../../receiver/independent-delivery.ts';
import { type Language, languages } from '../../receivers/languages.ts';
import { exampleEvent } from '../../src/events/catalogue/catalogue.ts';
import { freePort } from '../support/free-port.ts';

const root = fileURLToPath(new URL('../../receivers/', import.meta.url));
const timeout = 300_000;

const isInstalled = ({ check: [command = '', ...args] }: Language) =>
  spawnSync(command, args, { timeout: 20_000 }).status === 0;

describe.each(languages)('the receiver in $name', (language) => {
  const cwd = join(root, language.folder);
  const build = mkdtempSync(join(tmpdir(), `waypost-receiver-${language.folder}-`));
  const env = { ...process.env, ...language.env?.(build) };
  afterAll(() => rmSync(build, { recursive: true, force: true }));

  function run(commands: string[][]) {
    for (const [command = '', ...args] of commands) {
      const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout });
      expect(status, `${stdout}${stderr}`).toBe(0);
    }
  }

  const isPresent = isInstalled(language);

  test.skipIf(!isPresent)('passes its tests', { timeout }, () => run(language.test(build)));

  test.skipIf(!isPresent)('has an example that accepts deliveries and rejects modified ones', { timeout }, async () => {
    const [privateKey, secret, port] = [newPrivateKey(), newSecret(), await freePort()];
    run(language.buildExample?.(build) ?? []);
    const [command = '', ...args] = language.runExample(build);
    const keys = { PORT: `${port}`, WAYPOST_PRIVATE_KEY: privateKey, WAYPOST_SECRET: secret };
    const program = spawn(command, args, { cwd, env: { ...env, ...keys }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (output += text));
    onTestFinished(async () => {
      if (program.exitCode === null && program.kill('SIGKILL')) await once(program, 'exit');
    });

    const event = exampleEvent('LOCATION_STATUS_CHANGED');
    const body = signedBody(privateKey, event);
    const headers = signedHeaders([secret], body);
    const deliver = (sent: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sent, headers }).then(
        ({ status }) => status,
        () => `not listening: ${output}`,
      );
    await expect.poll(() => deliver(body), { timeout: 60_000 }).toBe(204);
    expect(await deliver(body.replace('60233', '60234'))).toBe(401);
    expect(await deliver('')).toBe(401);
    await expect.poll(() => output).toContain('location 60233: ACTIVE -> CANCELLED');
    expect(output).toContain(`${event.type} ${event.id}`);
  });

  test('has a README with the example', () => {
    const [manual, example] = ['README.md', language.example].map((file) => readFileSync(join(cwd, file), 'utf8'));
    expect(manual).toContain(example);
  });
});
