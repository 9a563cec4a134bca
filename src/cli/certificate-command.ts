import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { wholeNumber } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { effectiveText } from '../config.ts';
import { CommandError, defineCommand, readOption, UsageError, value } from './command.ts';

const help = `Usage: waypost certificate [options]

Creates a self-signed certificate and its private key for testing HTTPS, and prints the settings to use them.

  --out DIR           folder for cert.pem and key.pem (default: tls in the data folder); files are not overwritten
  --host A,B          host names and addresses of the certificate (default: localhost,127.0.0.1,::1)
  --days N            validity in days (default: 30)

Examples:
  waypost certificate
  eval "$(waypost certificate --out ~/waypost-tls --host waypost.test,127.0.0.1)" && waypost start
`;

const options = { out: value, host: value, days: value } as const;

const dayMs = 86_400_000;

export const certificateCommand = defineCommand({ name: 'certificate', help, options }, async (given) => {
  const hosts = readHosts(given.host ?? 'localhost,127.0.0.1,::1');
  const days = readOption('--days', given.days ?? '30', wholeNumber(1, 3650));
  const folder = resolve(given.out ?? join(effectiveText(settings.dataDir, process.env) ?? '', 'tls'));
  const certificate = await createCertificate(hosts, days);
  const files = await writeFiles(folder, certificate);
  process.stdout.write(settingsToExport(files, hosts));
});

function readHosts(list: string): [string, ...string[]] {
  const hosts = list.split(',').map((host) => host.trim().toLowerCase());
  const invalid = hosts.find((host) => isIP(host) === 0 && !/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host));
  if (invalid !== undefined)
    throw new UsageError(`--host has "${invalid}", which is neither a host name nor an IP address.`);
  return hosts as [string, ...string[]];
}

async function createCertificate(hosts: readonly [string, ...string[]], days: number) {
  const altNames = hosts.map((host) =>
    isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
  );
  const notBeforeDate = new Date();
  return generate([{ name: 'commonName', value: hosts[0] }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate: new Date(notBeforeDate.getTime() + days * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  });
}

async function writeFiles(folder: string, { cert, private: key }: { cert: string; private: string }) {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(files.key, key, { flag: 'wx', mode: 0o600 });
    await writeFile(files.cert, cert, { flag: 'wx', mode: 0o644 }).catch(async (error) => {
      await rm(files.key);
      throw error;
    });
    return files;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CommandError(`${path} already exists. Remove it, or set another folder with --out.`);
    if (path !== undefined)
      throw new CommandError(`${path} cannot be written (${code}). Set another folder with --out.`);
    throw error;
  }
}

/** Can be passed to eval. */
function settingsToExport(files: { cert: string; key: string }, [host]: readonly [string, ...string[]]): string {
  const [cert, key] = [quoted(files.cert), quoted(files.key)];
  const address = `https://${isIP(host) === 6 ? `[${host}]` : host}:${effectiveText(settings.port, process.env)}`;
  return `export ${settings.tlsCert.variable}=${cert}
export ${settings.tlsKey.variable}=${key}
# Then run "waypost start" and
#   curl --cacert ${cert} ${address}/health/live
# To trust the certificate in other commands:
#   export NODE_EXTRA_CA_CERTS=${cert}
`;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
