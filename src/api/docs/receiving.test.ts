import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { testVector } from '../openapi/event-webhooks.ts';
import { languages, receivingPage } from './receiving-page.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Program {
  /** Skipped if this command is not installed. */
  needs: string;
  /** Compiles the file once: "go run" and "java FILE" compile it on every run. */
  build?: (file: string, folder: string) => string[];
  run: (file: string, folder: string) => string[];
}

const programs: Record<string, Program> = {
  Python: { needs: 'python3', run: (file) => ['python3', file] },
  PHP: { needs: 'php', run: (file) => ['php', file] },
  Java: {
    needs: 'javac',
    build: (file, folder) => ['javac', '-encoding', 'UTF-8', '-d', folder, file],
    run: (_file, folder) => ['java', '-cp', folder, 'Verify'],
  },
  Go: {
    needs: 'go',
    build: (file, folder) => ['go', 'build', '-o', `${folder}/verify`, file],
    run: (_file, folder) => [`${folder}/verify`],
  },
  'C#': { needs: 'dotnet', run: (file) => ['dotnet', 'run', file] },
  Ruby: { needs: 'ruby', run: (file) => ['ruby', file] },
};

const isInstalled = (command: string) => spawnSync('which', [command]).status === 0;

interface Given {
  privateKey?: string;
  /** Values of webhook-signature; undefined if the header is missing. */
  signatures?: string | undefined;
}

function execute([command = '', ...args]: string[], body = '', given: Given = {}) {
  const { privateKey = testVector.privateKey } = given;
  const headers = Object.entries({
    ...testVector.headers,
    ...('signatures' in given && { 'webhook-signature': given.signatures }),
  }).map(([header, value]) => [header.toUpperCase().replaceAll('-', '_'), value]);
  return spawnSync(command, args, {
    input: body,
    encoding: 'utf8',
    env: {
      ...process.env,
      CGO_ENABLED: '0',
      GOTOOLCHAIN: 'local',
      PRIVATE_KEY: privateKey,
      SECRET: testVector.secret,
      ...Object.fromEntries(headers),
    },
  });
}

describe.each(languages)('the program in $name', ({ name, file }) => {
  const program = programs[name] as Program;
  const present = isInstalled(program.needs);

  test.skipIf(!present)('accepts the test vector and rejects another body or key', { timeout: 180_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'waypost-receiving-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = fileURLToPath(new URL(`receiving/${file}`, import.meta.url));
    if (program.build) expect(execute(program.build(path, folder))).toMatchObject({ stderr: '', status: 0 });
    const run = (body: string, given?: Given) => execute(program.run(path, folder), body, given);
    const { type, id } = testVector.event;
    const genuine = run(testVector.body);
    expect({ stdout: genuine.stdout, stderr: genuine.stderr, status: genuine.status }).toMatchObject({
      stdout: `${type} ${id}\n`,
      status: 0,
    });
    expect(run(testVector.body.replace('Straße', 'Strasse')).status).not.toBe(0);
    expect(run(testVector.body, { privateKey: 'another key' }).status).not.toBe(0);
    const notGenuine = {
      status: expect.not.toBeOneOf([0]),
      stderr: expect.stringContaining('not a delivery of Waypost'),
    };
    for (const signatures of [undefined, 'v1,Straße'])
      expect(run(testVector.body, { signatures })).toMatchObject(notGenuine);
    for (const body of ['', `${start}"`, `${start}1}`, `${start}"Straße"}`])
      expect(run(body, { signatures: headerSignature(body) }), body).toMatchObject(notGenuine);
  });
});

const start = '{"event":{},"signature":';

/** A valid signature in the headers, so that the body is checked. */
function headerSignature(body: string): string {
  const { headers, secret } = testVector;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

test('the test vector is unchanged', () => {
  expect(testVector).toMatchInlineSnapshot(`
    {
      "body": "{"event":{"comment":"Geändert: Öffnungszeiten 🕗, Straße/Hausnummer <12> & \\"Eingang\\"","id":184467,"location":51877,"salesPartnerIdentifier":"hansekontor","time":"2026-11-15T01:02:03.456+00:00","type":"LOCATION_PROFILE_CHANGED","user":"jonas.lindner@baeckerei-lindner.example"},"signature":"yto9diWokTHP9mx9m94nFCzHOv+6QYMaevMFniad4K0="}",
      "event": {
        "comment": "Geändert: Öffnungszeiten 🕗, Straße/Hausnummer <12> & "Eingang"",
        "id": 184467,
        "location": 51877,
        "salesPartnerIdentifier": "hansekontor",
        "time": "2026-11-15T01:02:03.456+00:00",
        "type": "LOCATION_PROFILE_CHANGED",
        "user": "jonas.lindner@baeckerei-lindner.example",
      },
      "eventText": "{"comment":"Geändert: Öffnungszeiten 🕗, Straße/Hausnummer <12> & \\"Eingang\\"","id":184467,"location":51877,"salesPartnerIdentifier":"hansekontor","time":"2026-11-15T01:02:03.456+00:00","type":"LOCATION_PROFILE_CHANGED","user":"jonas.lindner@baeckerei-lindner.example"}",
      "headers": {
        "webhook-id": "184467",
        "webhook-signature": "v1,gLPPYxSsUMqP6W7QVLthwIkmC5q3f8dl4yCEV/AQpEA=",
        "webhook-timestamp": "1794704523",
      },
      "privateKey": "wp_test_5vT2kQ9mZ4rX7bN1cL8dF3gH6jK0pS",
      "secret": "whsec_d2F5cG9zdC10ZXN0LXZlY3Rvci1zZWNyZXQtMDEyMw==",
      "signature": "yto9diWokTHP9mx9m94nFCzHOv+6QYMaevMFniad4K0=",
    }
  `);
});

describe('the guide', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.close());

  test('shows every program and the test vector', async () => {
    const { code, headers, body } = await api.call('GET', '/docs/receiving');
    expect(code).toBe(200);
    expect(headers.get('etag')).toBeTruthy();
    for (const { name, folder } of languages) {
      expect(body).toContain(`>${name}</h2>`);
      expect(body).toContain(`<code>${folder}</code>`);
      expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
    }
    expect(body).toContain(testVector.signature);
    const targets = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !targets.has(id))).toEqual([]);
    for (const text of [
      'within 15 seconds',
      'after about 5 seconds, 1 minute, 5 minutes, 30 minutes, 2 hours',
      '5 days',
    ])
      expect(body).toContain(text);
  });

  test('states the settings of the installation', () => {
    const settings = { deliveryTimeoutMs: 20_000, retrySchedule: [0.5, 5400], webhookDisableSeconds: 86_400 };
    const html = receivingPage(settings);
    for (const text of [
      'within 20 seconds',
      'retries after about 0.5 seconds, 90 minutes',
      'fail for 1 day',
      '1.5 hours',
    ])
      expect(html).toContain(text);
    const without = receivingPage({ ...settings, retrySchedule: [], webhookDisableSeconds: null });
    expect(without).toContain('Waypost does not retry');
    expect(without).not.toContain('deliveries all fail for');
  });
});
