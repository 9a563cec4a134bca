import { type PlatformJob, platformJob } from '../jobs/job.ts';
import { runReplay } from './log/replay-job.ts';
import { runUpkeep } from './upkeep.ts';

export const eventJobs: readonly PlatformJob[] = [
  platformJob({
    task: 'upkeep',
    schedule: '*/10 * * * *',
    run: (_payload, { database, config, log }) => runUpkeep(database, config.retentionDays, log),
  }),
  platformJob<{ replayId: number }>({
    task: 'replay',
    run: ({ replayId }, { database, log }) => runReplay(database, replayId, { log }),
  }),
];
