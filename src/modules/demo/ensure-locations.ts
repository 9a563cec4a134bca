import type { Logger } from 'pino';
import type { Transaction } from '../../database/transaction.ts';
import { isTransient } from '../../jobs/tasks/task-job.ts';
import { Problem } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { createLocations, findLocations, type Location, lockByIdentifier } from '../locations/index.ts';
import type { BusinessKey } from './demo-business.ts';
import type { DemoLocation } from './demo-location.ts';

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
  return withPlans(plans, await findLocations(transaction, actor.partner.id, [...known.values()]));
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

function withPlans(plans: readonly DemoLocation[], locations: readonly Location[]): CreatedLocation[] {
  const byIdentifier = new Map(locations.map((location) => [location.identifier, location]));
  return plans.flatMap((plan) => {
    const location = byIdentifier.get(plan.input.identifier);
    return location ? [{ plan, location }] : [];
  });
}

/** Runs the work for one location in a savepoint. A failure does not affect the other locations. */
export async function attemptFor(
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
