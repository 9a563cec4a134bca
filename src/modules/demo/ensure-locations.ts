import type { Logger } from 'pino';
import type { Transaction } from '../../database/transaction.ts';
import { isTransient } from '../../jobs/tasks/task-job.ts';
import { Problem } from '../../problems.ts';
import { daysAfter } from '../../values/span.ts';
import type { Actor } from '../accounts/index.ts';
import { setConnection, startSync } from '../listings/index.ts';
import {
  createLocations,
  findLocations,
  type Location,
  lockByIdentifier,
  lockLocations,
  transitionLocations,
} from '../locations/index.ts';
import type { BusinessKey } from './demo-business.ts';
import type { DemoLocation } from './demo-location.ts';
import { SeededRandom } from './seeded-random.ts';

export interface CreatedLocation {
  plan: DemoLocation;
  location: Location;
}

/** Why the demo data of a location is incomplete. */
export interface DemoProblem {
  identifier: string;
  message: string;
}

interface StepContext {
  transaction: Transaction;
  log: Logger;
  actor: Actor;
}

/** Finds locations by identifier and creates the missing ones. */
export async function ensureLocations(
  context: StepContext,
  businesses: Record<BusinessKey, number>,
  plans: readonly DemoLocation[],
): Promise<{ created: CreatedLocation[]; problems: DemoProblem[] }> {
  const known = new Set((await lockPlanned(context, plans)).map(({ identifier }) => identifier));
  const missing = plans.filter(({ input }) => !known.has(input.identifier)).map((plan) => ({ plan }));
  const problems: DemoProblem[] = [];
  const create = async (some: typeof missing) => {
    problems.push(...(await createMissing(context, businesses, some)));
  };
  // One batch is faster. If it fails, create one by one, so that an invalid location does not affect the others.
  const failed = await attemptFor(context, 'batch', () => create(missing));
  if (failed.length > 0) problems.push(...(await attemptEach(context, missing, (one) => create([one]))));
  return { created: await findCreated(context, plans), problems };
}

async function createMissing(
  { transaction, actor }: StepContext,
  businesses: Record<BusinessKey, number>,
  missing: readonly { plan: DemoLocation }[],
): Promise<DemoProblem[]> {
  if (missing.length === 0) return [];
  const inputs = missing.map(({ plan }) => ({ ...plan.input, businessId: businesses[plan.business.key] }));
  const results = await createLocations(transaction, actor, 'DEMO_JOB', inputs);
  return results.flatMap((result, at) => {
    const identifier = inputs[at]?.identifier ?? '';
    if ('id' in result) return [];
    return [{ identifier, message: `${identifier}: ${result.errors.map(({ message }) => message).join(' ')}` }];
  });
}

/** The planned locations that exist. */
export async function findCreated(context: Locking, plans: readonly DemoLocation[]): Promise<CreatedLocation[]> {
  const ids = (await lockPlanned(context, plans)).map(({ id }) => id);
  const locations = await findLocations(context.transaction, context.actor.partner.id, ids);
  const byIdentifier = new Map(locations.map((location) => [location.identifier, location]));
  return plans.flatMap((plan) => {
    const location = byIdentifier.get(plan.input.identifier);
    return location ? [{ plan, location }] : [];
  });
}

type Locking = Pick<StepContext, 'transaction' | 'actor'>;

function lockPlanned({ transaction, actor }: Locking, plans: readonly DemoLocation[]) {
  const identifiers = plans.map(({ input }) => input.identifier);
  return lockByIdentifier(transaction, actor.partner.id, identifiers);
}

/** Runs the work for each location in a savepoint of its own. */
async function attemptEach<T extends { plan: DemoLocation }>(
  context: StepContext,
  locations: readonly T[],
  work: (location: T) => Promise<void>,
): Promise<DemoProblem[]> {
  const problems: DemoProblem[] = [];
  for (const one of locations)
    problems.push(...(await attemptFor(context, one.plan.input.identifier, () => work(one))));
  return problems;
}

/** Runs the work in a savepoint. A failure does not affect other locations. */
async function attemptFor(
  { transaction, log }: StepContext,
  identifier: string,
  work: () => Promise<void>,
): Promise<DemoProblem[]> {
  await transaction.query('savepoint demo_location');
  try {
    await work();
    await transaction.query('release savepoint demo_location');
    return [];
  } catch (error) {
    if (isTransient(error)) throw error;
    await transaction.query('rollback to savepoint demo_location');
    if (error instanceof Problem) return [{ identifier, message: error.message }];
    log.error({ event: 'demo.location-failed', identifier, err: error });
    return [{ identifier, message: `${identifier}: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

const connectedShare = 0.88;

/** Starts the first sync of the locations and connects accounts of directories that require one. */
export function startFirstSyncs(
  context: StepContext,
  created: readonly CreatedLocation[],
  seed: string,
): Promise<DemoProblem[]> {
  const { transaction, actor } = context;
  const unsynced = created.filter(
    ({ plan, location }) => plan.outcome !== 'NOT_SYNCED' && location.status === 'CREATED',
  );
  return attemptEach(context, unsynced, async ({ plan, location }) => {
    for (const listing of await startSync(transaction, actor, location)) {
      const random = new SeededRandom(seed, 'account', plan.input.identifier, listing.directoryType);
      if (listing.connectStatus === 'NOT_CONNECTED' && random.chance(connectedShare)) {
        await setConnection(transaction, actor, listing, 'CONNECTED');
      }
    }
  });
}

type Transition = Omit<Parameters<typeof transitionLocations>[3], 'by' | 'now'>;

const transitionsOf = (today: string): Readonly<Record<string, Transition>> => ({
  NEEDS_REVIEW: { to: 'NEEDS_REVIEW', comment: 'The address is unconfirmed since the branch moved' },
  CANCELLED: { to: 'CANCELLED', comment: 'The lease ends', endDate: daysAfter(today, 60) },
  CLOSED: { to: 'CLOSED', comment: 'Closed for good' },
});

/** Changes the status of active locations to that of their planned outcome. */
export function applyLocationOutcomes(
  context: StepContext,
  created: readonly CreatedLocation[],
  today: string,
): Promise<DemoProblem[]> {
  const { transaction, actor } = context;
  const transitions = transitionsOf(today);
  const changed = created.filter(({ plan, location }) => location.status === 'ACTIVE' && plan.outcome in transitions);
  return attemptEach(context, changed, async ({ plan, location }) => {
    const locked = await lockLocations(transaction, actor.partner.id, [location.id]);
    const transition = transitions[plan.outcome] as Transition;
    await transitionLocations(transaction, actor, locked, { ...transition, by: 'user', now: new Date() });
  });
}
