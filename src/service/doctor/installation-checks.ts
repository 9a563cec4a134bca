import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Config, checkServing, version } from '../../config.ts';
import { checkMailServer } from '../../mail/send-mail.ts';
import { newFileName } from '../../storage/file-store.ts';
import { openFileStore } from '../../storage/open-file-store.ts';
import { fileStoreName } from '../shared-files.ts';
import { type Check, fail, ok, warn } from './finding.ts';

const oldestNode = 24;
const builtConsole = fileURLToPath(new URL('../../../console/dist/index.html', import.meta.url));
const mebibyte = 1024 ** 2;
const lowDisk = { warn: 2048 * mebibyte, fail: 200 * mebibyte };
const certificateDays = 21;

/** Checks that need no database. */
export const installationChecks = (config: Config): Check[] => [
  {
    name: 'runtime',
    run() {
      const [major = 0] = process.versions.node.split('.').map(Number);
      const found = `Waypost ${version} on Node.js ${process.versions.node}`;
      return major >= oldestNode ? ok(found) : fail(`${found}: install Node.js ${oldestNode} or newer.`);
    },
  },
  {
    name: 'console',
    run() {
      if (!config.console) return ok('Disabled by WAYPOST_CONSOLE.');
      if (existsSync(builtConsole)) return ok('Built.');
      return warn('Not built. Run "node setup/ready.mjs", copy console/dist, or set WAYPOST_CONSOLE to off.');
    },
  },
  {
    name: 'serving',
    run() {
      checkServing(config);
      return ok(`${config.host}, port ${config.port}`);
    },
  },
  { name: 'certificate', run: () => checkCertificate(config) },
  { name: 'disk', run: () => checkDisk(config) },
  { name: 'files', run: () => checkFiles(config) },
  { name: 'mail', run: () => checkMail(config) },
];

async function checkCertificate({ tlsCert }: Config) {
  if (tlsCert === undefined) return ok('Not used: no WAYPOST_TLS_CERT.');
  const { validTo } = new X509Certificate(await readFile(tlsCert));
  const days = Math.floor((Date.parse(validTo) - Date.now()) / 86_400_000);
  if (days < 0) return fail(`${tlsCert} expired on ${validTo}. Replace it and restart the processes.`);
  if (days < certificateDays) return warn(`${tlsCert} expires on ${validTo}. Replace it and restart the processes.`);
  return ok(`Valid until ${validTo}.`);
}

async function checkDisk({ dataDir }: Config) {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const found = `${Math.floor(free / mebibyte)} MiB free in ${dataDir}`;
  if (free < lowDisk.fail) return fail(`${found}. Free space now: without it, nothing can be written.`);
  return free < lowDisk.warn ? warn(`${found}. Free space, or use a larger disk.`) : ok(found);
}

/** Writes, reads and deletes a small file. */
async function checkFiles(config: Config) {
  const files = openFileStore(config);
  const where = fileStoreName(config);
  const name = newFileName('doctor');
  try {
    await files.put(name, Readable.from([Buffer.from(name)]));
    const stored = await files.read(name);
    const content = stored && (await text(stored.stream));
    await files.remove(name);
    if (content === name) return ok(`Written, read and deleted in ${where}.`);
    return fail(`A file that was written to ${where} cannot be read. Check the store and its settings (WAYPOST_S3_…).`);
  } catch (error) {
    return fail(`${(error as Error).message}. Check ${where}, its rights and its settings.`);
  } finally {
    await files.close();
  }
}

async function checkMail({ smtpUrl }: Config) {
  if (smtpUrl === undefined) return ok('Not used: no WAYPOST_SMTP_URL, so alerts are not sent by e-mail.');
  try {
    await checkMailServer(smtpUrl);
    return ok(`${smtpUrl.host} accepts connections.`);
  } catch (error) {
    return fail(`${(error as Error).message} Check WAYPOST_SMTP_URL.`);
  }
}
