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
  type LocationStatus,
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

export interface StepContext {
  transaction: Transaction;
  log: Logger;
}

/** Finds locations by identifier and creates the missing ones. */
export async function ensureLocations(
  context: StepContext,
  actor: Actor,
  businesses: Record<BusinessKey, number>,
  plans: readonly DemoLocation[],
): Promise<{ created: CreatedLocation[]; problems: DemoProblem[] }> {
  const known = await idsByIdentifier(context.transaction, actor, plans);
  const missing = plans.filter(({ input }) => !known.has(input.identifier));
  const create = (some: readonly DemoLocation[]) => createMissing(context.transaction, actor, businesses, some);
  const problems: DemoProblem[] = [];
  // One batch is faster. If it fails, create one by one, so that an invalid location does not affect the others.
  const failed = await attemptFor(context, 'batch', async () => {
    problems.push(...(await create(missing)));
  });
  if (failed.length > 0) {
    for (const plan of missing) {
      const attempt = attemptFor(context, plan.input.identifier, async () => {
        problems.push(...(await create([plan])));
      });
      problems.push(...(await attempt));
    }
  }
  return { created: await findCreated(context.transaction, actor, plans), problems };
}

async function createMissing(
  transaction: Transaction,
  actor: Actor,
  businesses: Record<BusinessKey, number>,
  missing: readonly DemoLocation[],
): Promise<DemoProblem[]> {
  if (missing.length === 0) return [];
  const inputs = missing.map(({ business, input }) => ({ ...input, businessId: businesses[business.key] }));
  const results = await createLocations(transaction, actor, 'DEMO_JOB', inputs);
  return results.flatMap((result, at) => {
    const identifier = missing[at]?.input.identifier ?? '';
    if ('id' in result) return [];
    return [{ identifier, message: `${identifier}: ${result.errors.map(({ message }) => message).join(' ')}` }];
  });
}

/** The planned locations that exist. */
export async function findCreated(
  transaction: Transaction,
  actor: Actor,
  plans: readonly DemoLocation[],
): Promise<CreatedLocation[]> {
  const known = await idsByIdentifier(transaction, actor, plans);
  const locations = await findLocations(transaction, actor.partner.id, [...known.values()]);
  const byIdentifier = new Map(locations.map((location) => [location.identifier, location]));
  return plans.flatMap((plan) => {
    const location = byIdentifier.get(plan.input.identifier);
    return location ? [{ plan, location }] : [];
  });
}

async function idsByIdentifier(
  transaction: Transaction,
  actor: Actor,
  plans: readonly DemoLocation[],
): Promise<Map<string, number>> {
  const identifiers = plans.map(({ input }) => input.identifier);
  const found = await lockByIdentifier(transaction, actor.partner.id, identifiers);
  return new Map(found.map(({ identifier, id }) => [identifier ?? '', id]));
}

/** Runs the work for one location in a savepoint. A failure does not affect the other locations. */
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
    if (!(error instanceof Problem)) log.error({ event: 'demo.location-failed', identifier, err: error });
    return [{ identifier, message: error instanceof Problem ? error.message : `${identifier}: ${reasonOf(error)}` }];
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const connectedShare = 0.88;

/** Starts the first sync of the locations and connects accounts of directories that require one. */
export async function startFirstSyncs(
  context: StepContext,
  actor: Actor,
  created: readonly CreatedLocation[],
  seed: string,
): Promise<DemoProblem[]> {
  const problems: DemoProblem[] = [];
  for (const one of created) {
    const { outcome, input } = one.plan;
    if (outcome === 'NOT_SYNCED' || one.location.status !== 'CREATED') continue;
    problems.push(...(await attemptFor(context, input.identifier, () => sync(context.transaction, actor, one, seed))));
  }
  return problems;
}

async function sync(transaction: Transaction, actor: Actor, { plan, location }: CreatedLocation, seed: string) {
  for (const listing of await startSync(transaction, actor, location)) {
    const random = new SeededRandom(seed, 'account', plan.input.identifier, listing.directoryType);
    if (listing.connectStatus === 'NOT_CONNECTED' && random.chance(connectedShare)) {
      await setConnection(transaction, actor, listing, 'CONNECTED');
    }
  }
}

interface StatusChange {
  to: LocationStatus;
  comment: string;
  /** End date, in days from today. */
  inDays?: number;
}

const statusChanges: Readonly<Record<string, StatusChange>> = {
  NEEDS_REVIEW: { to: 'NEEDS_REVIEW', comment: 'The address is unconfirmed since the branch moved' },
  CANCELLED: { to: 'CANCELLED', comment: 'The lease ends', inDays: 60 },
  CLOSED: { to: 'CLOSED', comment: 'Closed for good' },
};

/** Changes the status of active locations to that of their planned outcome. */
export async function applyLocationOutcomes(
  context: StepContext,
  actor: Actor,
  created: readonly CreatedLocation[],
  today: string,
): Promise<DemoProblem[]> {
  const problems: DemoProblem[] = [];
  for (const { plan, location } of created) {
    const change = statusChanges[plan.outcome];
    if (!change || location.status !== 'ACTIVE') continue;
    const { to, comment, inDays } = change;
    const endDate = inDays === undefined ? {} : { endDate: daysAfter(today, inDays) };
    const move = async () => {
      const locked = await lockLocations(context.transaction, actor.partner.id, [location.id]);
      await transitionLocations(context.transaction, actor, locked, {
        to,
        comment,
        ...endDate,
        by: 'user',
        now: new Date(),
      });
    };
    problems.push(...(await attemptFor(context, plan.input.identifier, move)));
  }
  return problems;
}
