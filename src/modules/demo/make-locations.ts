import type { Logger } from 'pino';
import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../accounts/index.ts';
import { createLocations, findLocations, type Location, lockIdentified } from '../locations/index.ts';
import type { BusinessKey } from './demo-business.ts';
import type { DemoLocation } from './demo-location.ts';
import { attemptFor, type DemoProblem } from './demo-problems.ts';

export interface MadeLocation {
  plan: DemoLocation;
  location: Location;
}

/** Creates those that are not there yet, by their identifiers. Answers all of them as they are, and what failed. */
export async function makeLocations(
  running: { transaction: Transaction; log: Logger },
  actor: Actor,
  businesses: Record<BusinessKey, number>,
  plans: readonly DemoLocation[],
): Promise<{ made: MadeLocation[]; problems: DemoProblem[] }> {
  const known = await idsByIdentifier(running.transaction, actor, plans);
  const missing = plans.filter(({ input }) => !known.has(input.identifier));
  const create = (some: readonly DemoLocation[]) => createMissing(running.transaction, actor, businesses, some);
  const problems: DemoProblem[] = [];
  // Together is faster; one by one where that fails, so that one location costs no other.
  const failed = await attemptFor(running, 'batch', async () => {
    problems.push(...(await create(missing)));
  });
  if (failed.length > 0) {
    for (const plan of missing) {
      const attempt = attemptFor(running, plan.input.identifier, async () => {
        problems.push(...(await create([plan])));
      });
      problems.push(...(await attempt));
    }
  }
  return { made: await findMade(running.transaction, actor, plans), problems };
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

/** Those of the plans that are there. */
export async function findMade(
  transaction: Transaction,
  actor: Actor,
  plans: readonly DemoLocation[],
): Promise<MadeLocation[]> {
  const known = await idsByIdentifier(transaction, actor, plans);
  return together(plans, await findLocations(transaction, actor.partner.id, [...known.values()]));
}

async function idsByIdentifier(
  transaction: Transaction,
  actor: Actor,
  plans: readonly DemoLocation[],
): Promise<Map<string, number>> {
  const identifiers = plans.map(({ input }) => input.identifier);
  const found = await lockIdentified(transaction, actor.partner.id, identifiers);
  return new Map(found.map(({ identifier, id }) => [identifier ?? '', id]));
}

function together(plans: readonly DemoLocation[], locations: readonly Location[]): MadeLocation[] {
  const byIdentifier = new Map(locations.map((location) => [location.identifier, location]));
  return plans.flatMap((plan) => {
    const location = byIdentifier.get(plan.input.identifier);
    return location ? [{ plan, location }] : [];
  });
}
