import { signalAll } from '../support/programs.ts';
import type { Scene } from './scene.ts';

export interface Scenario {
  name: string;
  /** Why it cannot be played on this machine. */
  skipped?: (scene: Scene) => string | undefined;
  /** Causes the fault; returns the function that ends it, for faults that do not end by themselves. */
  fault(scene: Scene): Promise<(() => Promise<void>) | undefined>;
  /** The API node that does not respond until the fault has ended. */
  lostNode?: 'api1';
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'postmaster of the primary killed',
    async fault({ database }) {
      database.killPostmaster(await database.primary());
      return undefined;
    },
  },
  {
    name: 'failover: Patroni and PostgreSQL killed',
    async fault({ database, programs }) {
      const node = await database.primary();
      const { postgres } = database.processesOf(node);
      await programs.kill(`patroni-${node}`);
      signalAll(postgres, 'SIGKILL');
      await database.untilPrimaryIsNot(node);
      // The service manager of the node, or the node itself, starts it again.
      return async () => database.startPatroni(node);
    },
  },
  {
    name: 'switchover',
    async fault({ database }) {
      const node = await database.primary();
      await database.switchover();
      await database.untilPrimaryIsNot(node);
      return undefined;
    },
  },
  {
    name: 'node of the primary frozen',
    skipped: staleCopy,
    async fault({ database }) {
      const node = await database.primary();
      const { patroni, postgres, etcd } = database.processesOf(node);
      const all = [...patroni, ...postgres, ...etcd];
      signalAll(all, 'SIGSTOP');
      await database.untilPrimaryIsNot(node);
      return async () => signalAll(all, 'SIGCONT');
    },
  },
  {
    name: 'node of the primary partitioned',
    skipped: (scene) => (scene.network.partitions ? staleCopy(scene) : 'network namespaces are not allowed'),
    async fault({ database, network }) {
      const node = await database.primary();
      network.partitions?.cut(node);
      await database.untilPrimaryIsNot(node);
      return async () => network.partitions?.heal(node);
    },
  },
  {
    name: 'worker killed',
    async fault({ programs, waypost }) {
      await programs.kill('worker1');
      return async () => waypost.startWorker('worker1');
    },
  },
  {
    name: 'API node killed',
    lostNode: 'api1',
    async fault({ programs, waypost }) {
      await programs.kill('api1');
      return async () => waypost.startApi('api1');
    },
  },
];

/** The leader may compare with an outdated copy of a key in etcd: https://github.com/patroni/patroni/pull/2783 */
function staleCopy({ database: { patroniVersion } }: Scene): string | undefined {
  return isAtLeast(patroniVersion, [3, 1])
    ? undefined
    : `Patroni ${patroniVersion} may not choose a synchronous standby again; fixed in 3.1`;
}

function isAtLeast(version: string, [major, minor]: [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}
