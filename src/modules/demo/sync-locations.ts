import type { Transaction } from '../../database/transaction.ts';
import { daysAfter } from '../../values/span.ts';
import type { Actor } from '../accounts/index.ts';
import { setConnection, startSync } from '../listings/index.ts';
import { type LocationStatus, lockLocations, transitionLocations } from '../locations/index.ts';
import { attemptFor, type CreatedLocation, type DemoProblem, type StepContext } from './ensure-locations.ts';
import { SeededRandom } from './seeded-random.ts';

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
