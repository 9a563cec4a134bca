import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export const nodeNames = ['node1', 'node2', 'node3'] as const;
export type NodeName = (typeof nodeNames)[number];

/** The network of the nodes. Commands of a node start with its prefix. */
export interface Network {
  addressOf(node: NodeName): string;
  prefixOf(node: NodeName): string[];
  /** Undefined if network namespaces are not allowed. */
  partitions?: { cut(node: NodeName): void; heal(node: NodeName): void };
  close(): void;
}

const marker = 'WAYPOST_CLUSTER_NAMESPACE';
const isRoot = process.getuid?.() === 0;

/**
 * Replaces this process by itself in a network namespace of its own, if that is allowed. The namespace and all of its
 * interfaces end with the last process in it.
 */
export function enterNamespace(): void {
  if (process.env[marker] !== undefined || process.platform !== 'linux') return;
  const unshare = ['unshare', '--net', ...(isRoot ? [] : ['--user', '--map-root-user'])];
  const trial = 'ip link set lo up && ip link add trial type bridge && ip link add trial0 type veth peer name trial1';
  const [command = '', ...args] = unshare;
  if (spawnSync(command, [...args, 'sh', '-c', trial], { stdio: 'ignore' }).status !== 0) return;
  const program = [...args, process.execPath, ...process.argv.slice(1)];
  // PostgreSQL refuses to run as root, also as root of a user namespace.
  const account = isRoot ? '' : `${process.getuid?.()}:${process.getgid?.()}`;
  process.execve?.(pathOf(command), [command, ...program], { ...process.env, [marker]: account });
}

const pathOf = (program: string) => execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();

/** The user and group of PostgreSQL, Patroni and etcd if this process runs as root. */
export function nodeAccount(): { uid: number; gid: number } | undefined {
  if (!isRoot || isUserNamespace()) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const { status, stdout } = spawnSync('sh', ['-c', `id -u ${name} && id -g ${name}`], { encoding: 'utf8' });
    const [uid = 0, gid = 0] = stdout.trim().split('\n').map(Number);
    if (status === 0) return { uid, gid };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
}

const isUserNamespace = () => process.env[marker]?.includes(':') ?? false;

/** A command prefix that runs a program as a user other than root. */
function withoutRoot(): string[] {
  if (isUserNamespace()) {
    const [uid, gid] = process.env[marker]?.split(':') ?? [];
    return ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`];
  }
  const account = nodeAccount();
  return account ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : [];
}

export async function openNetwork(): Promise<Network> {
  return process.env[marker] === undefined ? loopback() : namespaces();
}

/** Each node has an address of the loopback interface. */
function loopback(): Network {
  return {
    addressOf: (node) => `127.0.17.${nodeNames.indexOf(node) + 1}`,
    prefixOf: withoutRoot,
    close: () => {},
  };
}

const bridge = 'cluster';

/** Each node has a network namespace, connected to a bridge. */
async function namespaces(): Promise<Network> {
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const addressOf = (node: NodeName) => `10.99.0.${nodeNames.indexOf(node) + 1}`;
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', '10.99.0.10/24', 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  // A namespace exists as long as a process is in it.
  const holders = new Map(nodeNames.map((node) => [node, spawn('unshare', ['--net', 'sleep', 'infinity'])]));
  const enter = (node: NodeName) => ['nsenter', `--net=/proc/${holders.get(node)?.pid}/ns/net`];
  for (const [node, { pid }] of holders) {
    await untilUnshared(pid as number);
    ip('link', 'add', node, 'type', 'veth', 'peer', 'name', `${node}-eth`);
    ip('link', 'set', `${node}-eth`, 'netns', String(pid));
    ip('link', 'set', node, 'master', bridge, 'up');
    const [command = '', ...args] = enter(node);
    const setup = `ip link set lo up && ip addr add ${addressOf(node)}/24 dev ${node}-eth && ip link set ${node}-eth up`;
    execFileSync(command, [...args, 'sh', '-c', setup], { stdio: 'inherit' });
  }
  return {
    addressOf,
    prefixOf: (node) => [...enter(node), ...withoutRoot()],
    partitions: {
      cut: (node) => ip('link', 'set', node, 'down'),
      heal: (node) => ip('link', 'set', node, 'up'),
    },
    close: () => {
      for (const holder of holders.values()) holder.kill('SIGKILL');
    },
  };
}

/** Waits until the process has left our namespace. */
async function untilUnshared(pid: number): Promise<void> {
  const namespaceOf = (id: number | 'self') => readlinkSync(`/proc/${id}/ns/net`);
  const own = namespaceOf('self');
  while (namespaceOf(pid) === own) await pause(10);
}

/** The folder of the PostgreSQL programs, or undefined. */
export function postgresFolder(): string | undefined {
  const folders = execFileSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin 2>/dev/null || true'], {
    encoding: 'utf8',
  });
  return folders
    .trim()
    .split('\n')
    .reverse()
    .find((folder) => existsSync(`${folder}/pg_rewind`));
}
