import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { JobContext, JobImplementation } from '../../jobs/job.ts';
import type { Task } from '../../jobs/tasks/task.ts';
import { type Pause, type Step, TaskFailure, taskJob } from '../../jobs/tasks/task-job.ts';
import type { RunningTask, StepResult } from '../../jobs/tasks/task-store.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { collectInsightsJob } from '../analytics/index.ts';
import { type SandboxControl, SandboxError } from '../directories/index.ts';
import { type BrandPage, discoverBrandPages, listBrandPages } from '../feedback/index.ts';
import { countUncounted, countUnseen, listingsToCount } from '../listings/index.ts';
import { type DemoChoice, demoLocation } from './demo-location.ts';
import { type DemoProblem, withProblems } from './demo-problems.ts';
import { demoDataOf } from './demo-state.ts';
import { type DemoOrder, demoJob } from './demo-task.ts';
import { letFatesHappen, lookAfter } from './look-after.ts';
import { type KeptPicture, keepPictures } from './make-assets.ts';
import { makeBusinesses } from './make-businesses.ts';
import { findMade, type MadeLocation, makeLocations } from './make-locations.ts';
import { markInbox } from './mark-inbox.ts';
import { publicise } from './publicise.ts';
import { showBrands, showPlaces } from './show-places.ts';

/** Locations that are made, and later seen to, together. */
const batch = 40;
const lookAgainSeconds = 0.5;
/** So often a network is waited for that is not there yet, or has just gone. */
const mostRefusals = 100;
/** Listings that do not move for so long are not waited for any longer. */
const patienceMs = 90_000;

/** How far a task has come. The locations are gone through twice: they are made, and what comes of them is seen to. */
interface Position {
  stage: 'MAKE' | 'SETTLE';
  from: number;
  /** Times in a row that the network did not do what it was asked. */
  refusals?: number;
  /** Listings of the batch whose insights were asked for. */
  counting?: number[];
  /** What of the batch is still to come, and since when that is so (milliseconds since 1970). */
  left?: number;
  since?: number;
  /** Locations of which a part could not be created. */
  problems?: DemoProblem[];
}

type Written = StepResult & { position: Position };

interface Work {
  context: JobContext;
  sandbox: SandboxControl;
  actor: Actor;
  order: DemoOrder;
  choice: DemoChoice;
  /** Locations that were there before are not touched. */
  began: Date;
}

export const demoJobs: readonly JobImplementation[] = [taskJob({ job: demoJob, steps, afterEnd: tell })];

async function tell(task: Task, { log }: JobContext): Promise<void> {
  const { state, message } = demoDataOf(task);
  const fields = { taskId: task.id, ...task.result };
  if (state === 'COMPLETE') log.info({ event: 'demo.finished', ...fields }, message);
  else log.warn({ event: 'demo.incomplete', ...fields, error: task.error }, message);
}

async function* steps(task: RunningTask, context: JobContext): AsyncIterable<Step | Pause> {
  const work = await prepare(task, context);
  let at = (task.position as Position | null) ?? { stage: 'MAKE', from: 0 };
  const advance =
    (step: (transaction: Transaction) => Promise<Written>): Step =>
    async (transaction) => {
      const done = await step(transaction);
      at = done.position;
      return done;
    };
  while (at.stage === 'MAKE') {
    // Whoever comes here again, because the process died between the two pieces, finds what was made.
    let made: MadeLocation[] = [];
    yield advance(async (transaction) => {
      const batch = await makeBatch(transaction, work, at.from);
      made = batch.made;
      return { position: reporting(at, batch.problems) };
    });
    const shown = await show(work, at.from, made);
    if ('refusal' in shown) {
      yield advance(async () => ({ position: refused(at, shown.refusal) }));
      yield soon;
    } else yield advance((transaction) => serve(transaction, work, at, made, shown));
  }
  while (at.from < work.order.locations) {
    const made = await findBatch(work, at.from);
    const progress = await lookAround(work, made, at);
    if (progress) {
      yield advance(async () => ({ position: progress }));
      yield soon;
    } else {
      const pictures = at.from === 0 && made.length > 0 ? await keepPictures(context, work.actor.partner.id) : [];
      yield advance((transaction) => settle(transaction, work, at, made, pictures));
    }
  }
}

async function prepare(task: RunningTask, context: JobContext): Promise<Work> {
  const { sandbox } = context.directories;
  if (!sandbox) {
    throw new TaskFailure(
      'Demo data is put on the sandbox directories, and there are none: set WAYPOST_SANDBOX to on.',
    );
  }
  const partner = await findPartner(context.database.pool, task.partnerId, task.partnerId);
  if (!partner) throw new TaskFailure(`There is no partner ${task.partnerId}.`);
  const order = task.parameters as unknown as DemoOrder;
  // A task that goes on after midnight makes the same locations as before.
  const choice = { seed: order.seed, today: task.dateCreated.toISOString().slice(0, 10) };
  const began = order.began === undefined ? task.dateCreated : new Date(order.began);
  return { context, sandbox, actor: systemActor(partner), order, choice, began };
}

const plansOf = ({ order, choice }: Work, from: number) =>
  Array.from({ length: Math.min(batch, order.locations - from) }, (_, at) => demoLocation(from + at, choice));

/** The position with the problems that were found, each location once. */
const reporting = (at: Position, found: readonly DemoProblem[]): Position =>
  found.length === 0 ? at : { ...at, problems: withProblems(at.problems ?? [], found) };

async function makeBatch(transaction: Transaction, work: Work, from: number) {
  const { actor, choice, context } = work;
  const businesses = await makeBusinesses(transaction, actor, choice.today);
  return makeLocations({ transaction, log: context.log }, actor, businesses, plansOf(work, from));
}

interface Shown {
  pages: number;
  problems: DemoProblem[];
}

async function show(
  { context, sandbox, actor, choice }: Work,
  from: number,
  made: readonly MadeLocation[],
): Promise<Shown | { refusal: string }> {
  const { list } = context.directories;
  try {
    if (from === 0) await showBrands(sandbox, list, actor.partner);
    return await showPlaces(sandbox, list, actor.partner, made, choice.seed);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { refusal: error.message };
  }
}

function refused(at: Position, refusal: string): Position {
  const refusals = (at.refusals ?? 0) + 1;
  if (refusals > mostRefusals) throw new TaskFailure(refusal);
  return { ...at, refusals };
}

/** Starts the first sync of the locations that are on the directories now. */
async function serve(
  transaction: Transaction,
  { context, actor, order, choice }: Work,
  at: Position,
  made: readonly MadeLocation[],
  { pages, problems: refused }: Shown,
): Promise<Written> {
  const failed = await lookAfter({ transaction, log: context.log }, actor, made, choice.seed);
  const { problems = [] } = reporting(at, [...refused, ...failed]);
  const from = Math.min(at.from + batch, order.locations);
  const isLast = from >= order.locations;
  if (at.from === 0) await discoverPages(transaction, made);
  context.log.info({ event: 'demo.made', locations: from, of: order.locations, newPages: pages });
  return {
    position: { stage: isLast ? 'SETTLE' : 'MAKE', from: isLast ? 0 : from, problems },
    done: from - at.from,
    counts: { locations: made.length, pages },
    result: { problems },
  };
}

async function discoverPages(transaction: Transaction, made: readonly MadeLocation[]): Promise<void> {
  for (const businessId of new Set(made.map(({ location }) => location.businessId)))
    await discoverBrandPages.enqueue(transaction, { businessId }, { requested: true });
}

async function findBatch(work: Work, from: number): Promise<MadeLocation[]> {
  const { context, actor, began } = work;
  const made = await context.database.transaction((transaction) => findMade(transaction, actor, plansOf(work, from)));
  return made.filter(({ location }) => location.dateCreated >= began);
}

/** What the listings of a batch still wait for; nothing when everything has been read, or does not move any more. */
async function lookAround(work: Work, made: readonly MadeLocation[], at: Position): Promise<Position | undefined> {
  const { database, directories } = work.context;
  const ids = made.map(({ location }) => location.id);
  const { unchecked, unread } = await countUnseen(database.pool, ids, directories.list);
  const counting = at.counting ?? (unchecked + unread > 0 ? undefined : await askForInsights(work, ids));
  const uncounted = counting ? await countUncounted(database.pool, counting) : 0;
  const brandPages = at.from === 0 ? await countUnreadBrandPages(work, made) : 0;
  const left = unchecked + unread + uncounted + brandPages;
  if (left === 0) return undefined;
  const now = (await databaseNow(database.pool)).getTime();
  const since = left === at.left && at.since !== undefined ? at.since : now;
  if (now - since > patienceMs) {
    work.context.log.warn({ event: 'demo.not-waited-for', unchecked, unread, uncounted, brandPages });
    return undefined;
  }
  return { ...at, left, since, ...(counting && { counting }) };
}

/** At once, and not when their turn comes. */
async function askForInsights({ context }: Work, locationIds: readonly number[]): Promise<number[]> {
  const { database, directories } = context;
  const ids = await listingsToCount(database.pool, locationIds, directories.list);
  const payloads = ids.map((listingId) => ({ listingId }));
  // Before the first checks of later batches, which this batch does not wait for.
  await collectInsightsJob.enqueueMany(database.pool, payloads, { requested: true });
  return ids;
}

/** What happens to the locations of a batch when their listings are known, and to what was written about them. */
async function settle(
  transaction: Transaction,
  work: Work,
  at: Position,
  made: readonly MadeLocation[],
  pictures: readonly KeptPicture[],
): Promise<Written> {
  const { context, actor, order, choice } = work;
  const { from } = at;
  const failed = await letFatesHappen({ transaction, log: context.log }, actor, made, choice.today);
  const { problems = [] } = reporting(at, failed);
  const marks = { seed: choice.seed, now: await databaseNow(transaction) };
  const ids = made.map(({ location }) => location.id);
  await markInbox(transaction, actor.partner.id, 'locationIds', ids, marks);
  if (from === 0) {
    const pageIds = (await newBrandPages(transaction, work, made)).map(({ id }) => id);
    await markInbox(transaction, actor.partner.id, 'directoryBusinessPageIds', pageIds, marks);
  }
  // The incomplete task before this one may have come as far as here: its pictures tell.
  const isPublicised = order.began !== undefined && pictures.length === 0;
  const counts =
    from === 0 && made.length > 0 && !isPublicised
      ? await publicise(transaction, context.config, actor, made, pictures)
      : {};
  const next = Math.min(from + batch, order.locations);
  context.log.info({ event: 'demo.settled', locations: next, of: order.locations });
  return { position: { stage: 'SETTLE', from: next, problems }, done: next - from, counts, result: { problems } };
}

/** Brand pages of the businesses that were not found yet, or whose datapoints were not read. */
async function countUnreadBrandPages(work: Work, made: readonly MadeLocation[]): Promise<number> {
  const { database, directories } = work.context;
  const withBrands = directories.list.filter(({ supports }) => supports.brandPages).length;
  const businesses = new Set(made.map(({ location }) => location.businessId)).size;
  const read = (await newBrandPages(database.pool, work, made)).filter(({ lastChecked }) => lastChecked);
  return Math.max(withBrands * businesses - read.length, 0);
}

async function newBrandPages(sql: Sql, { actor, began }: Work, made: readonly MadeLocation[]): Promise<BrandPage[]> {
  const businessIds = [...new Set(made.map(({ location }) => location.businessId))];
  const filter = { partnerId: actor.partner.id, reach: { businessIds: null, locationIds: null }, businessIds };
  const pages = await listBrandPages(sql, filter, { offset: 0, max: 100 });
  return pages.filter(({ dateCreated }) => dateCreated >= began);
}

const soon: Pause = { pauseSeconds: lookAgainSeconds };
