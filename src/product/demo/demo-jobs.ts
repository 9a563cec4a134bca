import { enqueueJob, enqueueJobs } from '../../database/job-queue.ts';
import type { Transaction } from '../../database/transaction.ts';
import { type Actor, systemActor } from '../../platform/actor.ts';
import { discoverBrandPages } from '../../platform/brand-pages/brand-page-jobs.ts';
import { listBrandPages } from '../../platform/brand-pages/brand-page-store.ts';
import { type SandboxControl, SandboxRefusal } from '../../platform/directories/sandbox-control.ts';
import { countUncounted, countUnseen, listingsToCount } from '../../platform/listings/first-look.ts';
import { findPartner } from '../../platform/partners/partner-store.ts';
import type { JobContext, PlatformJob } from '../../platform/platform-job.ts';
import type { Task } from '../../platform/tasks/task.ts';
import { type Pause, type Step, TaskFailure, taskJob } from '../../platform/tasks/task-job.ts';
import type { StepDone, TaskUnderWay } from '../../platform/tasks/task-store.ts';
import { type DemoChoice, demoLocation } from './demo-location.ts';
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
const lookAgainMs = 500;
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
}

type Written = StepDone & { position: Position };

interface Work {
  context: JobContext;
  sandbox: SandboxControl;
  actor: Actor;
  order: DemoOrder;
  choice: DemoChoice;
  /** Locations that were there before are not touched. */
  began: Date;
}

export const demoJobs: readonly PlatformJob[] = [taskJob({ job: demoJob, steps, afterEnd: tell })];

async function tell({ id, status, error, result }: Task, { log }: JobContext): Promise<void> {
  if (status === 'FINISHED') log.info({ event: 'demo.finished', taskId: id, ...result }, 'The demo data is there');
  else log.warn({ event: 'demo.ended', taskId: id, status, error }, 'The demo data is not complete');
}

async function* steps(task: TaskUnderWay, context: JobContext): AsyncIterable<Step | Pause> {
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
      made = await makeBatch(transaction, work, at.from);
      return { position: at };
    });
    const shown = await show(work, at.from, made);
    if ('refusal' in shown) {
      yield advance(async () => ({ position: refused(at, shown.refusal) }));
      yield soon();
    } else yield advance((transaction) => serve(transaction, work, at, made, shown.pages));
  }
  while (at.from < work.order.locations) {
    const made = await findBatch(work, at.from);
    const progress = await lookAround(work, made, at);
    if (progress) {
      yield advance(async () => ({ position: progress }));
      yield soon();
    } else {
      const pictures = at.from === 0 && made.length > 0 ? await keepPictures(context, work.actor.partner.id) : [];
      yield advance((transaction) => settle(transaction, work, at, made, pictures));
    }
  }
}

async function prepare(task: TaskUnderWay, context: JobContext): Promise<Work> {
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
  return { context, sandbox, actor: systemActor(partner), order, choice, began: task.dateCreated };
}

const plansOf = ({ order, choice }: Work, from: number) =>
  Array.from({ length: Math.min(batch, order.locations - from) }, (_, at) => demoLocation(from + at, choice));

async function makeBatch(transaction: Transaction, work: Work, from: number): Promise<MadeLocation[]> {
  const { actor, choice } = work;
  const businesses = await makeBusinesses(transaction, actor, choice.today);
  return makeLocations(transaction, actor, businesses, plansOf(work, from));
}

type Shown = { pages: number } | { refusal: string };

async function show(
  { context, sandbox, actor, choice }: Work,
  from: number,
  made: readonly MadeLocation[],
): Promise<Shown> {
  const { list } = context.directories;
  try {
    if (from === 0) await showBrands(sandbox, list, actor.partner);
    return await showPlaces(sandbox, list, actor.partner, made, choice.seed);
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    return { refusal: error.message };
  }
}

function refused(at: Position, refusal: string): Position {
  const refusals = (at.refusals ?? 0) + 1;
  if (refusals > mostRefusals) throw new TaskFailure(refusal);
  return { ...at, refusals };
}

/** Begins to look after what was made and is on the directories now. */
async function serve(
  transaction: Transaction,
  { context, actor, order, choice }: Work,
  at: Position,
  made: readonly MadeLocation[],
  newPages: number,
): Promise<Written> {
  await lookAfter(transaction, actor, made, choice.seed);
  const from = at.from + made.length;
  const isLast = from >= order.locations;
  if (at.from === 0) await discoverPages(transaction, made);
  context.log.info({ event: 'demo.made', locations: from, of: order.locations, newPages });
  return {
    position: isLast ? { stage: 'SETTLE', from: 0 } : { stage: 'MAKE', from },
    done: made.length,
    counts: { locations: made.length, pages: newPages },
  };
}

async function discoverPages(transaction: Transaction, made: readonly MadeLocation[]): Promise<void> {
  for (const businessId of new Set(made.map(({ location }) => location.businessId))) {
    await enqueueJob(transaction, discoverBrandPages, { businessId }, { key: `${discoverBrandPages}-${businessId}` });
  }
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
  const left = unchecked + unread + uncounted;
  if (left === 0) return undefined;
  const since = left === at.left && at.since !== undefined ? at.since : Date.now();
  if (Date.now() - since > patienceMs) return undefined;
  return { ...at, left, since, ...(counting && { counting }) };
}

/** At once, and not when their turn comes. */
async function askForInsights({ context }: Work, locationIds: readonly number[]): Promise<number[]> {
  const { database, directories } = context;
  const ids = await listingsToCount(database.pool, locationIds, directories.list);
  const jobs = ids.map((listingId) => ({ payload: { listingId }, key: `insights-${listingId}` }));
  await enqueueJobs(database.pool, 'insights.collect', jobs);
  return ids;
}

/** What happens to the locations of a batch when their listings are known, and to what was written about them. */
async function settle(
  transaction: Transaction,
  work: Work,
  { from }: Position,
  made: readonly MadeLocation[],
  pictures: readonly KeptPicture[],
): Promise<Written> {
  const { context, actor, order, choice } = work;
  await letFatesHappen(transaction, actor, made, choice.today);
  const marks = { seed: choice.seed, now: new Date() };
  const ids = made.map(({ location }) => location.id);
  await markInbox(transaction, actor.partner.id, 'locationIds', ids, marks);
  if (from === 0) {
    const pageIds = await newBrandPages(transaction, work, made);
    await markInbox(transaction, actor.partner.id, 'directoryBusinessPageIds', pageIds, marks);
  }
  const counts =
    from === 0 && made.length > 0 ? await publicise(transaction, context.config, actor, made, pictures) : {};
  const next = Math.min(from + batch, order.locations);
  context.log.info({ event: 'demo.settled', locations: next, of: order.locations });
  return { position: { stage: 'SETTLE', from: next }, done: next - from, counts };
}

async function newBrandPages(
  transaction: Transaction,
  { actor, began }: Work,
  made: readonly MadeLocation[],
): Promise<number[]> {
  const businessIds = [...new Set(made.map(({ location }) => location.businessId))];
  const filter = { partnerId: actor.partner.id, reach: { businessIds: null, locationIds: null }, businessIds };
  const pages = await listBrandPages(transaction, filter, { offset: 0, max: 100 });
  return pages.filter(({ dateCreated }) => dateCreated >= began).map(({ id }) => id);
}

const soon = (): Pause => ({ goOnAt: new Date(Date.now() + lookAgainMs) });
