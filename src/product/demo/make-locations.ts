import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../../platform/actor.ts';
import { createLocations } from '../../platform/locations/create-location.ts';
import type { Location } from '../../platform/locations/location.ts';
import { findLocations, lockIdentified } from '../../platform/locations/location-store.ts';
import { TaskFailure } from '../../platform/tasks/task-job.ts';
import type { BusinessKey } from './demo-business.ts';
import type { DemoLocation } from './demo-location.ts';

export interface MadeLocation {
  plan: DemoLocation;
  location: Location;
}

/** Creates those that are not there yet, by their identifiers. Answers all of them as they are. */
export async function makeLocations(
  transaction: Transaction,
  actor: Actor,
  businesses: Record<BusinessKey, number>,
  plans: readonly DemoLocation[],
): Promise<MadeLocation[]> {
  const known = await idsByIdentifier(transaction, actor, plans);
  const missing = plans.filter(({ input }) => !known.has(input.identifier));
  const inputs = missing.map(({ business, input }) => ({ ...input, businessId: businesses[business.key] }));
  const results = inputs.length > 0 ? await createLocations(transaction, actor, 'DEMO_JOB', inputs) : [];
  for (const [at, result] of results.entries()) {
    const identifier = missing[at]?.input.identifier ?? '';
    if ('id' in result) known.set(identifier, result.id);
    else
      throw new TaskFailure(
        `${identifier} could not be created: ${result.errors.map(({ message }) => message).join(' ')}`,
      );
  }
  const locations = await findLocations(transaction, actor.partner.id, [...known.values()]);
  return together(plans, locations);
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
