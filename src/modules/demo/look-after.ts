import type { Logger } from 'pino';
import type { Transaction } from '../../database/transaction.ts';
import { daysAfter } from '../../values/days.ts';
import type { Actor } from '../accounts/index.ts';
import { setConnection, startSync } from '../listings/index.ts';
import { type LocationStatus, lockLocations, moveLocations } from '../locations/index.ts';
import { attemptFor, type DemoProblem } from './demo-problems.ts';
import { Dice } from './dice.ts';
import type { MadeLocation } from './make-locations.ts';

const connected = 0.88;

interface Running {
  transaction: Transaction;
  log: Logger;
}

/** Starts the first sync of the locations and connects accounts where directories ask for one. */
export async function lookAfter(
  running: Running,
  actor: Actor,
  made: readonly MadeLocation[],
  seed: string,
): Promise<DemoProblem[]> {
  const problems: DemoProblem[] = [];
  for (const one of made) {
    const { fate, input } = one.plan;
    if (fate === 'NOT_SYNCED' || one.location.status !== 'CREATED') continue;
    problems.push(...(await attemptFor(running, input.identifier, () => sync(running.transaction, actor, one, seed))));
  }
  return problems;
}

async function sync(transaction: Transaction, actor: Actor, { plan, location }: MadeLocation, seed: string) {
  for (const listing of await startSync(transaction, actor, location)) {
    const dice = new Dice(seed, 'account', plan.input.identifier, listing.directoryType);
    if (listing.connectStatus === 'NOT_CONNECTED' && dice.chance(connected)) {
      await setConnection(transaction, actor, listing, 'CONNECTED');
    }
  }
}

interface Ending {
  to: LocationStatus;
  comment: string;
  /** When it ends, in days from today. */
  inDays?: number;
}

const endings: Readonly<Record<string, Ending>> = {
  NEEDS_REVIEW: { to: 'NEEDS_REVIEW', comment: 'The address is in doubt since the move of the branch' },
  CANCELLED: { to: 'CANCELLED', comment: 'The lease ends', inDays: 60 },
  CLOSED: { to: 'CLOSED', comment: 'Closed for good' },
};

/** Moves locations to the status that their plan ends in. Those that are not active any more stay as they are. */
export async function letFatesHappen(
  running: Running,
  actor: Actor,
  made: readonly MadeLocation[],
  today: string,
): Promise<DemoProblem[]> {
  const problems: DemoProblem[] = [];
  for (const { plan, location } of made) {
    const ending = endings[plan.fate];
    if (!ending || location.status !== 'ACTIVE') continue;
    const { to, comment, inDays } = ending;
    const endDate = inDays === undefined ? {} : { endDate: daysAfter(today, inDays) };
    const move = async () => {
      const locked = await lockLocations(running.transaction, actor.partner.id, [location.id]);
      await moveLocations(running.transaction, actor, locked, {
        to,
        comment,
        ...endDate,
        by: 'person',
        now: new Date(),
      });
    };
    problems.push(...(await attemptFor(running, plan.input.identifier, move)));
  }
  return problems;
}
