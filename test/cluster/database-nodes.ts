import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { descendants, type Programs, until } from '../support/programs.ts';
import { deploymentFile, environmentOf } from './deployment.ts';
import { type Network, type NodeName, nodeNames } from './network.ts';

interface Ports {
  etcdClient: number;
  etcdPeer: number;
  patroni: number;
  postgres: number;
}

interface Member {
  name: NodeName;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  lag?: number | 'unknown';
}

const password = () => randomBytes(12).toString('hex');

/** Three nodes, each with etcd, Patroni and PostgreSQL, configured with the files in deploy/patroni. */
export class DatabaseNodes {
  readonly databasePassword = password();
  /** "patroni 4.1.5" without the name. */
  readonly patroniVersion = execFileSync('patroni', ['--version'], { encoding: 'utf8' }).trim().replace('patroni ', '');
  readonly ports: Ports;
  readonly #folder: string;
  readonly #network: Network;
  readonly #programs: Programs;
  readonly #binaries: string;
  readonly #secrets = {
    PATRONI_RESTAPI_USERNAME: 'patroni',
    PATRONI_RESTAPI_PASSWORD: password(),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: password(),
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: password(),
    PATRONI_REWIND_USERNAME: 'rewind',
    PATRONI_REWIND_PASSWORD: password(),
    WAYPOST_DATABASE_PASSWORD: this.databasePassword,
  };

  /** The folder belongs to the account of the nodes. */
  constructor(folder: string, binaries: string, ports: Ports, network: Network, programs: Programs) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.ports = ports;
    this.#network = network;
    this.#programs = programs;
  }

  async start(): Promise<void> {
    this.#copyConfiguration();
    for (const node of nodeNames) this.#startEtcd(node);
    await until('etcd elects a leader', async () => {
      const health = await fetch(`http://${this.#network.addressOf('node1')}:${this.ports.etcdClient}/health`);
      return ((await health.json()) as { health: string }).health === 'true';
    });
    for (const node of nodeNames) this.startPatroni(node);
    await this.untilHealthy();
  }

  startPatroni(node: NodeName): void {
    const { ports } = this;
    const address = this.#network.addressOf(node);
    const env = environmentOf('node.env', {
      ...this.#secrets,
      PATRONI_NAME: node,
      PATRONI_ETCD3_HOSTS: nodeNames.map((name) => `${this.#network.addressOf(name)}:${ports.etcdClient}`).join(','),
      PATRONI_RESTAPI_LISTEN: `${address}:${ports.patroni}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:${ports.patroni}`,
      PATRONI_POSTGRESQL_LISTEN: `${address}:${ports.postgres}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:${ports.postgres}`,
      PATRONI_POSTGRESQL_DATA_DIR: this.#dataFolder(node),
      PATRONI_POSTGRESQL_BIN_DIR: this.#binaries,
      PATRONI_POSTGRESQL_PGPASS: join(this.#folder, `${node}.pgpass`),
    });
    const command = [...this.#network.prefixOf(node), 'patroni', this.#path('patroni.yml')];
    this.#programs.start(`patroni-${node}`, command, { ...env, HOME: this.#folder });
  }

  /** Three running members, of which one is the leader and one the synchronous standby. */
  async untilHealthy(): Promise<void> {
    await until('all database nodes are healthy', async () => {
      const members = await this.members();
      const roles = members.map(({ role }) => role);
      return (
        members.length === nodeNames.length &&
        members.every(({ role, state, lag }) => isRunning(state) && (role === 'leader' || typeof lag === 'number')) &&
        roles.includes('leader') &&
        roles.includes('sync_standby')
      );
    });
  }

  /** As a majority of the nodes sees it. */
  async primary(): Promise<NodeName> {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    if (!leader) throw new Error('no leader');
    return leader.name;
  }

  async untilPrimaryIsNot(former: NodeName): Promise<void> {
    await until('a standby is promoted', async () => {
      for (const node of nodeNames.filter((name) => name !== former)) {
        const reply = await this.#patroni(node, '/primary').catch(() => undefined);
        if (reply?.status === 200) return true;
      }
      return false;
    });
  }

  async switchover(): Promise<void> {
    const leader = await this.primary();
    const { PATRONI_RESTAPI_USERNAME: user, PATRONI_RESTAPI_PASSWORD: secret } = this.#secrets;
    const reply = await this.#patroni(leader, '/switchover', {
      method: 'POST',
      body: JSON.stringify({ leader }),
      headers: { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` },
      signal: AbortSignal.timeout(60_000),
    });
    if (!reply.ok) throw new Error(`switchover: ${reply.status} ${await reply.text()}`);
  }

  killPostmaster(node: NodeName): void {
    process.kill(this.#postmaster(node), 'SIGKILL');
  }

  /** The processes of Patroni and PostgreSQL, and of etcd. */
  processesOf(node: NodeName): { patroni: number[]; postgres: number[]; etcd: number[] } {
    return {
      patroni: descendants(this.#pid(`patroni-${node}`)),
      postgres: descendants(this.#postmaster(node)),
      etcd: [this.#pid(`etcd-${node}`)],
    };
  }

  async members(): Promise<Member[]> {
    for (const node of nodeNames) {
      const reply = await this.#patroni(node, '/cluster').catch(() => undefined);
      if (reply?.ok) return ((await reply.json()) as { members: Member[] }).members;
    }
    throw new Error('no node responds');
  }

  #patroni(node: NodeName, path: string, request: RequestInit = {}): Promise<Response> {
    const url = `http://${this.#network.addressOf(node)}:${this.ports.patroni}${path}`;
    return fetch(url, { signal: AbortSignal.timeout(2000), ...request });
  }

  #startEtcd(node: NodeName): void {
    const { etcdClient, etcdPeer } = this.ports;
    const peerOf = (name: NodeName) => `http://${this.#network.addressOf(name)}:${etcdPeer}`;
    const clients = `http://${this.#network.addressOf(node)}:${etcdClient}`;
    const env = environmentOf('etcd.env', {
      ETCD_NAME: node,
      ETCD_DATA_DIR: join(this.#folder, `${node}-etcd`),
      ETCD_LISTEN_PEER_URLS: peerOf(node),
      ETCD_LISTEN_CLIENT_URLS: clients,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: peerOf(node),
      ETCD_ADVERTISE_CLIENT_URLS: clients,
      ETCD_INITIAL_CLUSTER: nodeNames.map((name) => `${name}=${peerOf(name)}`).join(','),
    });
    this.#programs.start(`etcd-${node}`, [...this.#network.prefixOf(node), 'etcd'], env);
  }

  /** Copies, because the account of the nodes may have no access to the checkout. */
  #copyConfiguration(): void {
    mkdirSync(join(this.#folder, 'etc'), { mode: 0o755 });
    writeFileSync(this.#path('create-database.sh'), deploymentFile('create-database.sh'), { mode: 0o755 });
    const shared = deploymentFile('patroni.yml').replace('/etc/patroni/create', this.#path('create'));
    // Killed servers leave no files outside of their folder.
    const local = `  parameters:\n    unix_socket_directories: ''\n    dynamic_shared_memory_type: mmap\n`;
    writeFileSync(this.#path('patroni.yml'), shared + local, { mode: 0o644 });
  }

  #path(name: string): string {
    return join(this.#folder, 'etc', name);
  }

  #dataFolder(node: NodeName): string {
    return join(this.#folder, `${node}-postgres`);
  }

  #postmaster(node: NodeName): number {
    return Number(readFileSync(join(this.#dataFolder(node), 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  #pid(program: string): number {
    return this.#programs.get(program).child.pid as number;
  }
}

const isRunning = (state: string) => state === 'running' || state === 'streaming';
