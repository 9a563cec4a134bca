import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReceiver } from '../support/delivery.ts';
import { freePort } from '../support/free-port.ts';
import { type Programs, until } from '../support/programs.ts';
import { DatabaseNodes } from './database-nodes.ts';
import { deploymentFile, environmentOf } from './deployment.ts';
import { type Client, Load } from './load.ts';
import type { Network } from './network.ts';
import { apiNodes, Waypost } from './waypost.ts';

const loadType = 'LOCATION_CREATED';
const replayType = 'BUSINESS_CREATED';
const loadPath = '/load';
const balancedClients = 4;

/** The cluster under load. */
export interface Scene {
  database: DatabaseNodes;
  network: Network;
  programs: Programs;
  waypost: Waypost;
  load: Load;
  /** Four of the load balancer, and one of each API node. */
  clients: readonly Client[];
  replays: Replays;
}

interface Replays {
  webhook: number;
  /** The events of the webhook. */
  ids: readonly number[];
  /** Ids that arrived. */
  arrived: Set<number>;
}

interface Parts {
  folder: string;
  /** Belongs to the account of the nodes. */
  nodesFolder: string;
  /** The folder of the PostgreSQL programs. */
  postgres: string;
  network: Network;
  programs: Programs;
  log: (message: string) => void;
}

export async function startScene({ folder, nodesFolder, postgres, network, programs, log }: Parts): Promise<Scene> {
  const ports = {
    etcdClient: await freePort(),
    etcdPeer: await freePort(),
    patroni: await freePort(),
    postgres: await freePort(),
  };
  const [databasePort, replicaPort, apiPort] = [await freePort(), await freePort(), await freePort()];
  const [api1, api2] = [await freePort(), await freePort()];
  const database = new DatabaseNodes(nodesFolder, postgres, ports, network, programs);
  const where = network.partitions ? 'in network namespaces' : 'on loopback';
  log(`Starting three database nodes ${where}, with Patroni ${database.patroniVersion}`);
  await database.start();

  const configuration = join(folder, 'haproxy.cfg');
  writeFileSync(configuration, deploymentFile('haproxy.cfg'));
  const balancer = environmentOf('haproxy.env', {
    NODE1: network.addressOf('node1'),
    NODE2: network.addressOf('node2'),
    NODE3: network.addressOf('node3'),
    POSTGRES_PORT: String(ports.postgres),
    PATRONI_PORT: String(ports.patroni),
    DATABASE_BIND: `127.0.0.1:${databasePort}`,
    REPLICA_BIND: `127.0.0.1:${replicaPort}`,
    API_BIND: `127.0.0.1:${apiPort}`,
    API1: `127.0.0.1:${api1}`,
    API2: `127.0.0.1:${api2}`,
  });
  programs.start('haproxy', ['/usr/sbin/haproxy', '-db', '-f', configuration], balancer);

  log('Starting two API nodes and two workers');
  const urlAt = (port = 0) => `postgres://waypost:${database.databasePassword}@127.0.0.1:${port}/waypost`;
  const urls = { primary: urlAt(databasePort), replica: urlAt(replicaPort) };
  const waypost = new Waypost(folder, urls, { api1, api2 }, programs);
  await waypost.start();

  const load = new Load(waypost.privateKey, loadType);
  const arrived = new Set<number>();
  const receiver = await startReceiver(({ path, event }) => {
    // The ledger has the ids; the requests would fill the memory.
    receiver.requests.length = 0;
    if (path === loadPath) load.receive(event.id);
    else arrived.add(event.id);
    return 200;
  });
  await waypost.createWebhook(receiver.url(loadPath), loadType);
  const webhook = await waypost.createWebhook(receiver.url('/replayed'), replayType);
  const ids = await waypost.emitReplayed(replayType);
  await until('the first events arrive', () => ids.every((id) => arrived.has(id)));

  const clients: Client[] = [
    ...Array.from({ length: balancedClients }, (_, index) => ({
      name: `client ${index + 1}`,
      url: `http://127.0.0.1:${apiPort}`,
      isBalanced: true,
    })),
    ...apiNodes.map((name) => ({ name, url: waypost.urlOf(name), isBalanced: false })),
  ];
  load.start(clients);
  return { database, network, programs, waypost, load, clients, replays: { webhook, ids, arrived } };
}
