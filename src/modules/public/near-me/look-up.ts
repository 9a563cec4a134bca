import { databaseNow } from '../../../database/database-clock.ts';
import { defineJob, type JobContext } from '../../../jobs/job.ts';
import { dayOf } from '../../../values/days.ts';
import { isFault } from '../../directories/index.ts';
import { expectedProfile, judgeDirectory, noResult } from './judge-directory.ts';
import { scoreOf } from './judge-report.ts';
import type { Report } from './report.ts';
import { endReport, findReportById, recordResult } from './report-store.ts';

export const lookUpJob = defineJob<{ reportId: number }>('near-me.look-up', {
  key: ({ reportId }) => `near-me-${reportId}`,
  requested: true,
});

/** Directories that are asked at once: the slow ones do not make the others wait. */
const atOnce = 6;
/** For so long a directory that takes no more calls is asked again; somebody is sitting before the page. */
const patienceMs = 120_000;

/** Asks every directory of a report that was not asked yet, each for itself, and ends the report behind the last. */
export async function lookUp(context: JobContext, reportId: number): Promise<void> {
  const { database, signal, log } = context;
  const report = await findReportById(database.pool, reportId);
  if (report?.status !== 'RUNNING') return;
  const began = Date.now();
  const waiting = [...report.pending];
  const waits: number[] = [];
  const work = async () => {
    for (let type = waiting.shift(); type !== undefined && !signal.aborted; type = waiting.shift()) {
      const wait = await askDirectory(context, report, type);
      if (wait !== undefined) waits.push(wait);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (signal.aborted) waits.push(0);
  if (waits.length > 0) return lookUpJob.enqueue(database.pool, { reportId }, { delaySeconds: Math.max(...waits) });
  await conclude(context, reportId);
  log.info({ event: 'near-me.looked-up', reportId, directories: report.pending.length, tookMs: Date.now() - began });
}

/** Seconds to wait when the directory asks for them and there is time left. */
async function askDirectory(context: JobContext, report: Report, type: string): Promise<number | undefined> {
  const { database, directories } = context;
  const directory = directories.list.find((known) => known.type === type);
  if (!directory) {
    await recordResult(database.pool, report.id, noResult(type, `${type} is no longer asked here.`));
    return undefined;
  }
  const expected = expectedProfile(report);
  const answer = await directories.connector(type).search(expected);
  if (isFault(answer) && answer.fault === 'limited') {
    const until = (await databaseNow(database.pool)).getTime() + answer.retryAfterSeconds * 1000;
    if (until < report.dateCreated.getTime() + patienceMs) return answer.retryAfterSeconds;
  }
  const today = dayOf(new Date());
  await recordResult(database.pool, report.id, judgeDirectory(directory, expected, answer, today));
  return undefined;
}

async function conclude({ database, directories }: JobContext, reportId: number): Promise<void> {
  const report = await findReportById(database.pool, reportId);
  if (!report || report.pending.length > 0) return;
  const weights = new Map(directories.list.map(({ type, weight }) => [type, weight]));
  const score = scoreOf(report.results, (type) => weights.get(type) ?? 0);
  const reached = report.results.some(({ status }) => status !== 'ERROR');
  await endReport(database.pool, reportId, {
    status: reached ? 'FINISHED' : 'FAILED',
    score,
    error: reached ? null : 'None of the directories could be asked. Ask for a new report later.',
  });
}
