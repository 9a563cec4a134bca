import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { fullReach } from '../../http/access.ts';
import type { JobContext, JobImplementation } from '../../jobs/job.ts';
import type { Task } from '../../jobs/tasks/task.ts';
import { type Pause, type Step, StepPosition, TaskFailure, taskJob } from '../../jobs/tasks/task-job.ts';
import type { RunningTask, StepResult } from '../../jobs/tasks/task-store.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { collectInsightsJob } from '../analytics/index.ts';
import { type SandboxControl, SandboxError } from '../directories/index.ts';
import { type BrandPage, discoverBrandPages, listBrandPages } from '../feedback/index.ts';
import { countInitialChecks, countWithoutInsights, listingsWithoutInsights } from '../listings/index.ts';
import { createAssetsAndPosts, type StoredPicture, storePictures } from './create-assets-and-posts.ts';
import { ensureBusinesses } from './demo-business.ts';
import { type DemoChoice, demoLocation } from './demo-location.ts';
import { type DemoRequest, demoDataOf, demoJob } from './demo-task.ts';
import {
  applyLocationOutcomes,
  type CreatedLocation,
  type DemoProblem,
  ensureLocations,
  findCreated,
  startFirstSyncs,
} from './ensure-locations.ts';
import { markInbox, type Populated, populateBrandPages, populateListings } from './populate-sandbox.ts';

const batchSize = 40;
const pollSeconds = 0.5;
/** The task fails after more consecutive failures of the sandbox, which may be starting or restarting. */
const maxFailures = 100;
/** How long to wait for listings without progress. */
const maxStallMs = 90_000;

/** Stage MAKE creates the locations. Stage SETTLE waits for their listings and applies their outcomes. */
interface Position {
  stage: 'MAKE' | 'SETTLE';
  from: number;
  /** Consecutive failures of the sandbox. */
  failures?: number;
  /** Listings of the batch whose insights were requested. */
  insightListingIds?: number[];
  /** Number of pending checks and reads of the batch, and when it last changed (milliseconds since 1970). */
  pending?: number;
  pendingSince?: number;
  /** Locations that were not created completely. */
  problems?: DemoProblem[];
}

type DemoStepResult = StepResult & { position: Position };

interface Work {
  context: JobContext;
  sandbox: SandboxControl;
  actor: Actor;
  request: DemoRequest;
  choice: DemoChoice;
  /** Older locations are not changed. */
  began: Date;
}

export const demoJobs: readonly JobImplementation[] = [taskJob({ job: demoJob, steps, afterEnd: logResult })];

async function logResult(task: Task, { log }: JobContext): Promise<void> {
  const { state, message } = demoDataOf(task);
  const fields = { taskId: task.id, ...task.result };
  if (state === 'COMPLETE') log.info({ event: 'demo.finished', ...fields }, message);
  else log.warn({ event: 'demo.incomplete', ...fields, error: task.error }, message);
}

async function* steps(task: RunningTask, context: JobContext): AsyncIterable<Step | Pause> {
  const work = await prepare(task, context);
  const position = new StepPosition<Position>((task.position as Position | null) ?? { stage: 'MAKE', from: 0 });
  while (position.current.stage === 'MAKE') {
    // Repeatable: after a crash between the two steps, existing locations are reused.
    let created: CreatedLocation[] = [];
    yield position.step(async (transaction, at) => {
      const batch = await createBatch(transaction, work, at.from);
      created = batch.created;
      return { position: { ...at, problems: problemsOf(at, batch.problems) } };
    });
    const populated = await populate(work, position.current.from, created);
    if ('failure' in populated) {
      yield position.step(async (_, at) => ({ position: countFailure(at, populated.failure) }));
      yield pollPause;
    } else yield position.step((transaction, at) => startSyncs(transaction, work, at, created, populated));
  }
  while (position.current.from < work.request.locations) {
    const { from } = position.current;
    const created = await findBatch(work, from);
    const waiting = await waitForBatch(work, created, position.current);
    if (waiting) {
      yield position.step(async () => ({ position: waiting }));
      yield pollPause;
    } else {
      const pictures = from === 0 && created.length > 0 ? await storePictures(context, work.actor.partner.id) : [];
      yield position.step((transaction, at) => settle(transaction, work, at, created, pictures));
    }
  }
}

async function prepare(task: RunningTask, context: JobContext): Promise<Work> {
  const { sandbox } = context.directories;
  if (!sandbox) {
    throw new TaskFailure('Demo data requires the sandbox network. Set WAYPOST_SANDBOX to on.');
  }
  const partner = await findPartner(context.database.pool, task.partnerId, task.partnerId);
  if (!partner) throw new TaskFailure(`Partner ${task.partnerId} not found.`);
  const request = task.parameters as unknown as DemoRequest;
  // The creation date, not today: a task that runs past midnight creates the same locations.
  const choice = { seed: request.seed, today: task.dateCreated.toISOString().slice(0, 10) };
  const began = request.began === undefined ? task.dateCreated : new Date(request.began);
  return { context, sandbox, actor: systemActor(partner), request, choice, began };
}

const contextOf = ({ context, actor }: Work, transaction: Transaction) => ({ transaction, actor, log: context.log });

const plansOf = ({ request, choice }: Work, from: number) =>
  Array.from({ length: Math.min(batchSize, request.locations - from) }, (_, at) => demoLocation(from + at, choice));

/** One problem per location: a step that is repeated after a crash reports the same location again. */
const problemsOf = ({ problems = [] }: Position, found: readonly DemoProblem[]): DemoProblem[] => [
  ...new Map([...problems, ...found].map((problem) => [problem.identifier, problem])).values(),
];

async function createBatch(transaction: Transaction, work: Work, from: number) {
  const businesses = await ensureBusinesses(transaction, work.actor, work.choice.today);
  return ensureLocations(contextOf(work, transaction), businesses, plansOf(work, from));
}

async function populate(
  { context, sandbox, actor, choice }: Work,
  from: number,
  created: readonly CreatedLocation[],
): Promise<Populated | { failure: string }> {
  const { list } = context.directories;
  try {
    if (from === 0) await populateBrandPages(sandbox, list, actor.partner);
    return await populateListings(sandbox, list, actor.partner, created, choice.seed);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { failure: error.message };
  }
}

function countFailure(at: Position, failure: string): Position {
  const failures = (at.failures ?? 0) + 1;
  if (failures > maxFailures) throw new TaskFailure(failure);
  return { ...at, failures };
}

async function startSyncs(
  transaction: Transaction,
  work: Work,
  at: Position,
  created: readonly CreatedLocation[],
  { pages, problems: rejected }: Populated,
): Promise<DemoStepResult> {
  const { context, actor, request, choice } = work;
  const failed = await startFirstSyncs(contextOf(work, transaction), created, choice.seed);
  const problems = problemsOf(at, [...rejected, ...failed]);
  const from = Math.min(at.from + batchSize, request.locations);
  const isLast = from >= request.locations;
  if (at.from === 0) {
    for (const businessId of businessesOf(created))
      await discoverBrandPages.enqueue(transaction, { businessId, partnerId: actor.partner.id, requested: true });
  }
  context.log.info({ event: 'demo.created', locations: from, of: request.locations, newPages: pages });
  return {
    position: { stage: isLast ? 'SETTLE' : 'MAKE', from: isLast ? 0 : from, problems },
    done: from - at.from,
    counts: { locations: created.length, pages },
    result: { problems },
  };
}

const businessesOf = (created: readonly CreatedLocation[]) => [
  ...new Set(created.map(({ location }) => location.businessId)),
];

async function findBatch(work: Work, from: number): Promise<CreatedLocation[]> {
  const created = await work.context.database.transaction((transaction) =>
    findCreated(contextOf(work, transaction), plansOf(work, from)),
  );
  return created.filter(({ location }) => location.dateCreated >= work.began);
}

/** Returns the position to store until the next poll; undefined if the batch is complete or makes no progress. */
async function waitForBatch(
  work: Work,
  created: readonly CreatedLocation[],
  at: Position,
): Promise<Position | undefined> {
  const { database, directories } = work.context;
  const ids = created.map(({ location }) => location.id);
  const { unchecked, unread } = await countInitialChecks(database.pool, ids, directories.list);
  const insightListingIds =
    at.insightListingIds ?? (unchecked + unread > 0 ? undefined : await requestInsights(work, ids));
  const uncounted = insightListingIds ? await countWithoutInsights(database.pool, insightListingIds) : 0;
  const brandPages = at.from === 0 ? await countUnreadBrandPages(work, created) : 0;
  const pending = unchecked + unread + uncounted + brandPages;
  if (pending === 0) return undefined;
  const now = (await databaseNow(database.pool)).getTime();
  const pendingSince = pending === at.pending && at.pendingSince !== undefined ? at.pendingSince : now;
  if (now - pendingSince > maxStallMs) {
    work.context.log.warn({ event: 'demo.wait-ended', unchecked, unread, uncounted, brandPages });
    return undefined;
  }
  return { ...at, pending, pendingSince, ...(insightListingIds && { insightListingIds }) };
}

/** Collects insights immediately instead of on schedule. */
async function requestInsights({ context, actor }: Work, locationIds: readonly number[]): Promise<number[]> {
  const { database, directories } = context;
  const ids = await listingsWithoutInsights(database.pool, locationIds, directories.list);
  const payloads = ids.map((listingId) => ({ listingId, requested: true, partnerId: actor.partner.id }));
  // Requested jobs run before the first checks of later batches.
  await collectInsightsJob.enqueueMany(database.pool, payloads);
  return ids;
}

/** Applies the outcomes of the locations, marks their inbox and, once, creates assets and posts. */
async function settle(
  transaction: Transaction,
  work: Work,
  at: Position,
  created: readonly CreatedLocation[],
  pictures: readonly StoredPicture[],
): Promise<DemoStepResult> {
  const { context, actor, request, choice } = work;
  const { from } = at;
  const failed = await applyLocationOutcomes(contextOf(work, transaction), created, choice.today);
  const problems = problemsOf(at, failed);
  const marks = { seed: choice.seed, now: await databaseNow(transaction) };
  const ids = created.map(({ location }) => location.id);
  await markInbox(transaction, actor.partner.id, 'locationIds', ids, marks);
  if (from === 0) {
    const pageIds = (await newBrandPages(transaction, work, created)).map(({ id }) => id);
    await markInbox(transaction, actor.partner.id, 'directoryBusinessPageIds', pageIds, marks);
  }
  // No pictures are stored if the partner has assets. A previous incomplete task created them together with its posts.
  const hasContent = request.began !== undefined && pictures.length === 0;
  const counts =
    from === 0 && created.length > 0 && !hasContent
      ? await createAssetsAndPosts(transaction, context.config, actor, created, pictures)
      : {};
  const next = Math.min(from + batchSize, request.locations);
  context.log.info({ event: 'demo.settled', locations: next, of: request.locations });
  return { position: { stage: 'SETTLE', from: next, problems }, done: next - from, counts, result: { problems } };
}

/** Brand pages that are not discovered yet or whose datapoints are not read yet. */
async function countUnreadBrandPages(work: Work, created: readonly CreatedLocation[]): Promise<number> {
  const { database, directories } = work.context;
  const withBrands = directories.list.filter(({ supports }) => supports.brandPages).length;
  const read = (await newBrandPages(database.pool, work, created)).filter(({ lastChecked }) => lastChecked);
  return Math.max(withBrands * businessesOf(created).length - read.length, 0);
}

async function newBrandPages(
  sql: Sql,
  { actor, began }: Work,
  created: readonly CreatedLocation[],
): Promise<BrandPage[]> {
  const filter = { partnerId: actor.partner.id, reach: fullReach, businessIds: businessesOf(created) };
  const pages = await listBrandPages(sql, filter, { offset: 0, max: 100 });
  return pages.filter(({ dateCreated }) => dateCreated >= began);
}

const pollPause: Pause = { pauseSeconds: pollSeconds };
