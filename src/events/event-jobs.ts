import type { JobImplementation } from '../jobs/job.ts';
import { upkeepJob } from '../jobs/restarting-runner.ts';
import { runReplay } from './log/replay-job.ts';
import { replayJob } from './log/replay-store.ts';
import { runUpkeep } from './upkeep.ts';

export const eventJobs: readonly JobImplementation[] = [
  upkeepJob.implement((_, { database, config, log }) => runUpkeep(database, config.retentionDays, log)),
  replayJob.implement(({ replayId }, { database, log }) => runReplay(database, replayId, { log })),
];
