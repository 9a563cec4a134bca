import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { testVector } from '../openapi/event-webhooks.ts';
import { languages } from './receiving-page.ts';

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

function execute([command = '', ...args]: string[], body = '', privateKey = testVector.privateKey) {
  const headers = Object.entries(testVector.headers).map(([header, value]) => [
    header.toUpperCase().replaceAll('-', '_'),
    value,
  ]);
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
    const run = (body: string, privateKey?: string) => execute(program.run(path, folder), body, privateKey);
    const { type, id } = testVector.event;
    const genuine = run(testVector.body);
    expect({ stdout: genuine.stdout, stderr: genuine.stderr, status: genuine.status }).toMatchObject({
      stdout: `${type} ${id}\n`,
      status: 0,
    });
    expect(run(testVector.body.replace('Straße', 'Strasse')).status).not.toBe(0);
    expect(run(testVector.body, 'another key').status).not.toBe(0);
  });
});

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
  });
});
