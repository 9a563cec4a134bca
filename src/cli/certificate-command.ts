import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { wholeNumber } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { effectiveText } from '../config.ts';
import { CommandError, readOption, runCommand, UsageError } from './command.ts';

const help = `Usage: waypost certificate [options]

Makes a self-signed certificate and its private key, to try HTTPS with, and prints the settings that use them.

  --out DIR           folder to write cert.pem and key.pem into (tls in the data folder); files are never overwritten
  --host A,B          names and addresses that the certificate is for (localhost,127.0.0.1,::1)
  --days N            days for which it is valid (30)

Examples:
  waypost certificate
  eval "$(waypost certificate --out ~/waypost-tls --host waypost.test,127.0.0.1)" && waypost start
`;

const options = {
  out: { type: 'string' },
  host: { type: 'string' },
  days: { type: 'string' },
} as const;

const dayMs = 86_400_000;

export async function certificateCommand(args: string[]): Promise<number> {
  return runCommand({ name: 'certificate', help, options }, args, async (given) => {
    const hosts = readHosts(given.host ?? 'localhost,127.0.0.1,::1');
    const days = readOption('--days', given.days ?? '30', wholeNumber(1, 3650));
    const folder = resolve(given.out ?? join(effectiveText(settings.dataDir, process.env) ?? '', 'tls'));
    const certificate = await makeCertificate(hosts, days);
    const files = await writeFiles(folder, certificate);
    process.stdout.write(settingsToExport(files, hosts));
  });
}

function readHosts(list: string): [string, ...string[]] {
  const hosts = list.split(',').map((host) => host.trim().toLowerCase());
  const strange = hosts.find((host) => isIP(host) === 0 && !/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host));
  if (strange !== undefined) throw new UsageError(`--host has "${strange}", which is neither a name nor an address.`);
  return hosts as [string, ...string[]];
}

async function makeCertificate(hosts: readonly [string, ...string[]], days: number) {
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
      throw new CommandError(`${path} is already there. Remove it, or choose a folder with --out.`);
    if (path !== undefined) throw new CommandError(`${path} cannot be written (${code}). Choose a folder with --out.`);
    throw error;
  }
}

/** To be read, or given to the shell as it is. */
function settingsToExport(files: { cert: string; key: string }, [host]: readonly [string, ...string[]]): string {
  const [cert, key] = [quoted(files.cert), quoted(files.key)];
  const address = `https://${isIP(host) === 6 ? `[${host}]` : host}:${effectiveText(settings.port, process.env)}`;
  return `export ${settings.tlsCert.variable}=${cert}
export ${settings.tlsKey.variable}=${key}
# then "waypost start", and
#   curl --cacert ${cert} ${address}/health/live
# other commands trust the certificate with
#   export NODE_EXTRA_CA_CERTS=${cert}
`;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
