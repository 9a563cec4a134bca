import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, temporaryFolder } from '../../test/support/cli.ts';
import { checkServing, readConfig } from '../config.ts';

const make = (folder: string, ...args: string[]) => runCli(['certificate', '--out', folder, ...args]);

const read = (folder: string) => ({
  cert: readFileSync(join(folder, 'cert.pem'), 'utf8'),
  key: readFileSync(join(folder, 'key.pem'), 'utf8'),
});

test('creates a certificate that serves HTTPS', async () => {
  const folder = temporaryFolder();
  expect(await make(folder)).toMatchObject({ code: 0, stderr: '' });
  const { cert, key } = read(folder);
  const server = https.createServer({ cert, key, minVersion: 'TLSv1.2' }, (_request, response) =>
    response.end('served'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const host of ['localhost', '127.0.0.1']) {
    const request = https.get({ host, port, ca: cert, agent: false, family: 4 });
    const [response] = await once(request, 'response');
    expect(String(Buffer.concat(await response.toArray()))).toBe('served');
  }
});

test('prints settings that are accepted', async () => {
  const folder = join(temporaryFolder(), "it's new");
  const { stdout } = await make(folder);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const inShell = (path: string) => `'${path.replace("'", `'\\''`)}'`;
  expect(stdout).toContain(`export WAYPOST_TLS_CERT=${inShell(cert)}\nexport WAYPOST_TLS_KEY=${inShell(key)}\n`);
  expect(stdout).toContain(`curl --cacert ${inShell(cert)} https://localhost:8080/health/live`);
  const config = readConfig({ HOST: '0.0.0.0', WAYPOST_TLS_CERT: cert, WAYPOST_TLS_KEY: key });
  expect(() => checkServing(config)).not.toThrow();
});

test('uses the given hosts and days', async () => {
  const folder = temporaryFolder();
  await make(folder, '--host', 'waypost.test, 10.1.2.3,::1', '--days', '2');
  const certificate = new X509Certificate(read(folder).cert);
  expect(certificate.checkHost('waypost.test')).toBe('waypost.test');
  expect(certificate.checkHost('localhost')).toBeUndefined();
  expect(certificate.checkIP('10.1.2.3')).toBe('10.1.2.3');
  expect(certificate.checkIP('::1')).toBe('::1');
  const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / 86_400_000;
  expect(days).toBe(2);
});

test('writes to the data folder by default, with a private key file', async () => {
  const dataDir = temporaryFolder();
  await runCli(['certificate'], { WAYPOST_DATA_DIR: dataDir });
  expect(statSync(join(dataDir, 'tls', 'key.pem')).mode & 0o777).toBe(0o600);
});

test.each(['cert.pem', 'key.pem'])(
  'a %s that is there is never overwritten, and nothing is written beside it',
  async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), 'precious');
    const { code, stdout, stderr } = await make(folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${join(folder, name)} already exists.`);
    expect(readFileSync(join(folder, name), 'utf8')).toBe('precious');
    expect(['cert.pem', 'key.pem'].filter((file) => existsSync(join(folder, file)))).toEqual([name]);
  },
);

test('reports a folder that cannot be created', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { code, stderr } = await make(join(file, 'folder'));
  expect(code).toBe(1);
  expect(stderr).toContain(`${join(file, 'folder')} cannot be written (ENOTDIR)`);
});

test.each([
  [['--host', 'https://localhost'], '--host has "https://localhost", which is neither a host name nor an IP address.'],
  [['--host', ''], '--host has "", which is neither'],
  [['--days', '0'], '--days is "0": set it to a whole number from 1 to 3650.'],
])('rejects %j', async (args, sentence) => {
  const { code, stderr } = await make(temporaryFolder(), ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});
