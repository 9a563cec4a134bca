import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { hasLoadBalancer, startHaproxy } from '../support/load-balancer.ts';

const soon = { timeout: 60_000, interval: 50 };

type Role = 'primary' | 'replica' | 'lagging' | 'lost';

interface Node {
  name: string;
  address: string;
  role: Role;
  /** Responses to health checks, by path. */
  checks: Record<string, number>;
}

async function listen(server: Server, address: string, port: number): Promise<void> {
  server.listen(port, address);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
}

/** Responds to the health checks of HAProxy like Patroni. */
function patroniOf(node: Node): Server {
  return createHttpServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url ?? '', 'http://patroni');
    const isReplica = node.role === 'replica' || (node.role === 'lagging' && !searchParams.has('lag'));
    const isFound = pathname === '/primary' ? node.role === 'primary' : pathname === '/replica' && isReplica;
    node.checks[pathname] = (node.checks[pathname] ?? 0) + 1;
    response.writeHead(isFound ? 200 : 503).end();
  });
}

/** HAProxy with deploy/patroni/haproxy.cfg, and three nodes that send their name to each connection. */
async function startCluster() {
  const [postgresPort, patroniPort, databasePort, replicaPort, apiPort] = await Promise.all(
    Array.from({ length: 5 }, freePort),
  );
  const nodes: Node[] = [1, 2, 3].map((number) => ({
    name: `node${number}`,
    address: `127.0.0.${number}`,
    role: number === 1 ? 'primary' : 'replica',
    checks: {},
  }));
  for (const node of nodes) {
    const postgres = createServer((socket) => socket.on('error', () => {}).write(`${node.name}\n`));
    await listen(postgres, node.address, postgresPort as number);
    await listen(patroniOf(node), node.address, patroniPort as number);
  }
  /** An open connection and the node that it leads to; undefined if there is none. */
  const open = async (port = 0) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => {
      socket.destroy();
    });
    const closed = new Promise<undefined>((resolve) => socket.once('close', () => resolve(undefined)));
    const greeted = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data).trim())));
    const name = await Promise.race([greeted, closed]);
    return { name, closed };
  };
  const settings = {
    ...Object.fromEntries(nodes.map(({ name, address }) => [name.toUpperCase(), address])),
    POSTGRES_PORT: `${postgresPort}`,
    PATRONI_PORT: `${patroniPort}`,
    DATABASE_BIND: `127.0.0.1:${databasePort}`,
    REPLICA_BIND: `127.0.0.1:${replicaPort}`,
    API_BIND: `127.0.0.1:${apiPort}`,
    API1: '127.0.0.1:1',
    API2: '127.0.0.1:1',
  };
  const openReplica = () => open(replicaPort);
  const openPrimary = () => open(databasePort);
  // HAProxy uses every node until its first check.
  const isReady = async () =>
    nodes.every(({ checks }) => hasChecked(checks, '/primary') && hasChecked(checks, '/replica'));
  const balancer = await startHaproxy('patroni', settings, isReady);
  onTestFinished(() => balancer.stop());
  const node = (name: string | undefined) => nodes.find((candidate) => candidate.name === name) as Node;
  return { nodes, node, openPrimary, openReplica };
}

/** More checks than HAProxy needs to change its mind (fall and rise). */
const hasChecked = (checks: Node['checks'], path: string) => (checks[path] ?? 0) > 4;

const namesOf = async (count: number, open: () => Promise<{ name: string | undefined }>) =>
  new Set((await Promise.all(Array.from({ length: count }, open))).map(({ name }) => name));

describe.skipIf(!hasLoadBalancer)('the load balancer of a Patroni cluster', () => {
  test('leads all reads to one replica, and to another one when it is promoted', { timeout: 120_000 }, async () => {
    const { node, openPrimary, openReplica } = await startCluster();
    const first = await openReplica();
    expect(first.name).toMatch(/^node[23]$/);
    expect(await namesOf(20, openReplica)).toEqual(new Set([first.name]));
    expect(await namesOf(5, openPrimary)).toEqual(new Set(['node1']));

    node('node1').role = 'replica';
    node(first.name).role = 'primary';
    await first.closed;
    await expect.poll(async () => (await openPrimary()).name, soon).toBe(first.name);
    await expect.poll(async () => (await openReplica()).name, soon).toMatch(/^node\d$/);
    const [second] = await namesOf(1, openReplica);
    expect(second).not.toBe(first.name);
    expect(await namesOf(20, openReplica)).toEqual(new Set([second]));
  });

  test.each<Role>(['lost', 'lagging'])(
    'leaves a replica that is %s, and does not return to it',
    { timeout: 120_000 },
    async (role) => {
      const { nodes, node, openReplica } = await startCluster();
      const first = await openReplica();
      node(first.name).role = role;
      await first.closed;
      await expect.poll(async () => (await openReplica()).name, soon).toMatch(/^node\d$/);
      const second = await openReplica();
      expect(second.name).not.toBe(first.name);
      const returned = Object.assign(node(first.name), { role: 'replica', checks: {} });
      await expect.poll(() => hasChecked(returned.checks, '/replica'), soon).toBe(true);
      expect(await namesOf(20, openReplica)).toEqual(new Set([second.name]));
      node(second.name).role = 'lost';
      await second.closed;
      await expect.poll(async () => (await openReplica()).name, soon).toBe(first.name);
      for (const other of nodes) if (other.role === 'replica') other.role = 'lost';
      await expect.poll(async () => (await openReplica()).name, soon).toBeUndefined();
    },
  );
});
