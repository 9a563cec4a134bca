import { until } from '../support/programs.ts';
import type { Client } from './load.ts';
import type { Scenario } from './scenarios.ts';
import type { Scene } from './scene.ts';
import type { Result } from './table.ts';

/** Plays a scenario while a replay is in progress, and waits until all parts have recovered. */
export async function play(scenario: Scenario, scene: Scene, log: (message: string) => void): Promise<Result> {
  const { waypost, database, load, clients, replays } = scene;
  const result: Result = { scenario: scenario.name, lost: 0, ...load.startMeasurement() };
  const skipped = scenario.skipped?.(scene);
  if (skipped !== undefined) {
    log(`Skipped: ${scenario.name} (${skipped})`);
    return { ...result, skipped };
  }
  try {
    await database.untilHealthy();
    await untilSuccessful(scene, clients);
    replays.arrived.clear();
    const replay = await waypost.startReplay(replays.webhook);
    log(scenario.name);
    const measurement = load.startMeasurement();
    try {
      const endFault = await scenario.fault(scene);
      log('  recovering');
      await untilSuccessful(
        scene,
        clients.filter(({ name }) => name !== scenario.lostNode),
      );
      await waypost.untilJobRuns();
      await until('the replay is complete', async () => {
        const { status } = await waypost.replayStatus(replays.webhook, replay);
        return status === 'FINISHED';
      });
      await endFault?.();
      await untilSuccessful(scene, clients);
      await until('the API nodes are ready and use a replica', () => waypost.isReady());
      await database.untilHealthy();
      await until('all replayed events arrive', () => replays.ids.every((id) => replays.arrived.has(id)));
      await until('all acknowledged events arrive', () => load.missing().length === 0);
    } finally {
      Object.assign(result, measurement);
    }
  } catch (error) {
    result.failure = (error as Error).message;
    log(`  failed: ${result.failure}`);
  }
  result.lost = load.missing().length;
  return result;
}

async function untilSuccessful({ load }: Scene, clients: readonly Client[]): Promise<void> {
  load.restartCounting();
  await until('all clients get a 2xx', () => load.haveSucceeded(clients));
}
