import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Builds the container image of a release and starts it with a read-only root file system, as user 10001 without
 * capabilities and a network. Needs root, buildah and debootstrap. Run it with "setup/with-runtime node .ci/image.ts".
 */

interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
}

interface Image {
  root: string;
  config: ImageConfig;
}

const root = join(import.meta.dirname, '..');
const user = 10_001;
const suite = 'bookworm';
const containerfile = join(root, 'deploy/Containerfile');
const base = 'docker.io/library/debian:12-slim';
const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

// Each command has its own mounts and processes. The kernel removes them when the command or this process ends.
const isolation = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

const endsWithParent = ['--pdeathsig', 'KILL'];

// Arguments: the folder of the image, the folder of its data, the command with its environment.
const containerScript = `set -e
image=$1 data=$2
shift 2
mount --bind "$image" "$image"
cd "$image"
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs tmp
mount --bind "$data" data
mount -t tmpfs -o nosuid,mode=755 tmpfs dev
for device in null zero full random urandom; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/shm
mount -t tmpfs -o nosuid,nodev,mode=1777,size=64m tmpfs dev/shm
mount -o remount,ro dev
mount -o remount,bind,ro .
ip link set lo up
exec chroot . setpriv --reuid=${user} --regid=${user} --clear-groups --inh-caps=-all --bounding-set=-all \\
  --no-new-privs --pdeathsig KILL env -i "$@"`;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`Stopped by ${signal}.`)));
}

const folder = mkdtempSync(join(tmpdir(), 'waypost-image-'));
try {
  const reason = await missing();
  if (reason) {
    print(`skipped, ${reason}`);
  } else {
    const archive = await createRelease();
    if (await createBase()) {
      const image = await build(archive);
      await check(image);
      print('build, --version, the read-only root, a start as user 10001 and SIGTERM work');
    } else {
      print('skipped, the Debian mirror cannot be reached');
    }
  }
} catch (error) {
  process.stderr.write(`Image: failed. ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, maxRetries: 10 });
}

function print(text: string): void {
  process.stdout.write(`Image: ${text}.\n`);
}

/** The reason why the image cannot be built and started on this machine. */
async function missing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'it needs root';
  for (const program of ['buildah', 'debootstrap', 'unshare', 'nsenter', 'setpriv', 'ip']) {
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`;
  }
  const device = join(folder, 'null');
  const probe = `mount -t tmpfs tmpfs /mnt && unshare --net ip link set lo up && mknod ${device} c 1 3 && : >${device}`;
  try {
    await run(1, ['sh', '-c', probe]);
    return undefined;
  } catch (error) {
    stop.signal.throwIfAborted();
    const detail = (error as Error).message.split('\n').at(-1);
    return `mounts, namespaces or devices are not permitted: ${detail}`;
  }
}

/** Returns the name of the archive. */
async function createRelease(): Promise<string> {
  print('creating a release');
  const platform = `linux-${process.arch}`;
  const script = join(root, 'setup/release.ts');
  await run(10, [process.execPath, script, '--output', join(folder, 'release'), '--platform', platform]);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `waypost-${version}-${platform}.tar.gz`;
}

/** Creates the base image without its registry. Returns false without a Debian mirror. */
async function createBase(): Promise<boolean> {
  print(`creating ${base} with debootstrap`);
  const container = await buildah(1, ['from', 'scratch']);
  const target = await buildah(1, ['mount', container]);
  try {
    await run(15, ['debootstrap', '--variant=minbase', suite, target, ...(await configuredMirror())]);
  } catch (error) {
    if (/Failed getting release file/.test((error as Error).message)) return false;
    throw error;
  }
  rmSync(join(target, 'var/cache/apt'), { recursive: true });
  await buildah(1, ['config', '--env', defaultPath, '--cmd', 'bash', container]);
  await buildah(5, ['commit', '--rm', container, base]);
  return true;
}

/** Empty for the default of debootstrap. The base image has no certificates for https. */
async function configuredMirror(): Promise<string[]> {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = await run(1, ['apt-get', 'indextargets', '--format', format]).catch(() => '');
  const [, mirror] = new RegExp(`^(http:\\S+) ${suite} main$`, 'm').exec(targets) ?? [];
  return mirror === undefined ? [] : [mirror];
}

async function build(archive: string): Promise<Image> {
  print('building deploy/Containerfile');
  for (const [, name] of readFileSync(containerfile, 'utf8').matchAll(/^FROM (\S+)/gm)) {
    if (name !== base) throw new Error(`deploy/Containerfile uses ${name}, .ci/image.ts creates ${base}.`);
  }
  const options = ['--isolation', 'chroot', '--pull=never', '--build-arg', `ARCHIVE=${archive}`];
  await buildah(15, ['build', ...options, '--tag', 'waypost', '--file', containerfile, join(folder, 'release')]);
  const { OCIv1 } = JSON.parse(await buildah(1, ['inspect', '--type', 'image', 'waypost']));
  const container = await buildah(5, ['from', '--pull=never', 'waypost']);
  return { root: await buildah(1, ['mount', container]), config: OCIv1.config };
}

async function check({ root: image, config }: Image): Promise<void> {
  print('starting it with a read-only root');
  if (config.User !== String(user)) throw new Error(`The image runs as user ${config.User}, not as ${user}.`);
  // Volumes get the owner and the mode of the folder in the image.
  const { uid, gid, mode } = statSync(join(image, 'data'));
  if (uid !== user || gid !== user || (mode & 0o777) !== 0o700) throw new Error('/data belongs to another user.');
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, user, user);

  const inContainer = ['--net', 'sh', '-c', containerScript, 'sh', image, data, ...config.Env, 'HOME=/data'];
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shown = await run(1, [...inContainer, ...config.Entrypoint, '--version']);
  if (shown !== version) throw new Error(`--version prints ${shown}, not ${version}.`);
  const write = 'for path in / /etc /opt/waypost /var /usr /dev; do touch "$path/file" 2>&1 || true; done; id -u';
  const [id, ...refused] = (await run(1, [...inContainer, 'LC_ALL=C', 'sh', '-c', write])).split('\n').reverse();
  if (id !== String(user)) throw new Error(`The process runs as user ${id}.`);
  if (refused.length !== 6 || !refused.every((line) => line.endsWith('Read-only file system'))) {
    throw new Error(`The root file system is writable: ${refused.join(' ')}`);
  }
  await checkStart([...inContainer, 'WAYPOST_DEMO_LOCATIONS=0', ...config.Entrypoint, ...config.Cmd], data);
}

async function checkStart(command: string[], data: string): Promise<void> {
  const child = spawn('setpriv', [...endsWithParent, ...isolation, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
  }
  const exit = once(child, 'exit');
  const ended = new AbortController();
  try {
    const tooEarly = exit.then(([code]) => Promise.reject(new Error(`It exited with ${code}.`)));
    await Promise.race([untilReady(child.pid as number, ended.signal), tooEarly]);
    if (!existsSync(postmasterFile(data))) throw new Error('PostgreSQL does not run in /data.');
    process.kill(firstProcess(child.pid as number), 'SIGTERM');
    const [code] = await Promise.race([exit, pause(60_000, ['no exit within a minute'], { ref: false })]);
    if (code !== 0) throw new Error(`SIGTERM: ${code}.`);
    // Processes that are left are killed with the first one, and PostgreSQL would not remove its file.
    if (existsSync(postmasterFile(data))) throw new Error('PostgreSQL was not stopped.');
  } catch (error) {
    throw new Error(`The start failed: ${(error as Error).message}\n${text.slice(-4000)}`);
  } finally {
    ended.abort();
    child.kill('SIGKILL');
    await exit;
  }
}

async function untilReady(pid: number, ended: AbortSignal): Promise<void> {
  const ask = `for (;;) {
    const response = await fetch('http://127.0.0.1:8080/health/ready').catch(() => undefined);
    if (response?.status === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }`;
  // The pid is in the network of the container after unshare created it.
  const network = `/proc/${pid}/ns/net`;
  while (statSync(network).ino === statSync('/proc/self/ns/net').ino) await pause(50, undefined, { signal: ended });
  const node = [process.execPath, '--input-type=module', '-e', ask];
  await execute(5, ['nsenter', `--net=${network}`, ...node], AbortSignal.any([ended, stop.signal]));
}

/** The process with the id 1 in the container. unshare does not pass signals on. */
function firstProcess(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

function postmasterFile(data: string): string {
  return join(data, 'postgres/cluster/postmaster.pid');
}

function buildah(minutes: number, args: string[]): Promise<string> {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  // buildah writes a cache there, also with another root.
  const script = 'mkdir -p /var/lib/containers && mount -t tmpfs tmpfs /var/lib/containers && exec buildah "$@"';
  return run(minutes, ['sh', '-c', script, 'sh', ...storage, ...args]);
}

/** A command can start with options of unshare. */
function run(minutes: number, command: string[]): Promise<string> {
  return execute(minutes, [...isolation, ...command], stop.signal);
}

/** Returns the output. */
async function execute(minutes: number, command: string[], signal: AbortSignal): Promise<string> {
  const options = {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    maxBuffer: 64 * 1024 * 1024,
    timeout: minutes * 60_000,
    killSignal: 'SIGKILL' as const,
    signal,
  };
  try {
    return (await promisify(execFile)('setpriv', [...endsWithParent, ...command], options)).stdout.trim();
  } catch (error) {
    stop.signal.throwIfAborted();
    const { killed, stdout, stderr } = error as { killed: boolean; stdout: string; stderr: string };
    const problem = killed ? `took more than ${minutes} minutes` : 'failed';
    const shown = command.filter((argument) => !argument.includes('\n')).join(' ');
    throw new Error(`${shown} ${problem}.\n${`${stdout}${stderr}`.trim().slice(-4000)}`);
  }
}
