import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../../platform/actor.ts';
import { daysAfter } from '../../platform/days.ts';
import { setConnection } from '../../platform/listings/change-listing.ts';
import { startSync } from '../../platform/listings/start-sync.ts';
import { moveLocations } from '../../platform/locations/change-status.ts';
import type { LocationStatus } from '../../platform/locations/location.ts';
import { lockLocations } from '../../platform/locations/location-store.ts';
import { Dice } from './dice.ts';
import type { MadeLocation } from './make-locations.ts';

const connected = 0.88;

/** Begins to look after the locations: connects accounts where directories ask for one, and has the listings checked. */
export async function lookAfter(
  transaction: Transaction,
  actor: Actor,
  made: readonly MadeLocation[],
  seed: string,
): Promise<void> {
  for (const { plan, location } of made) {
    if (plan.fate === 'NOT_SYNCED' || location.status !== 'CREATED') continue;
    for (const listing of await startSync(transaction, actor, location)) {
      const dice = new Dice(seed, 'account', plan.input.identifier, listing.directoryType);
      if (listing.connectStatus === 'NOT_CONNECTED' && dice.chance(connected)) {
        await setConnection(transaction, actor, listing, 'CONNECTED');
      }
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

/** Locations to which something happens later on. Those that are not active any more are left alone. */
export async function letFatesHappen(
  transaction: Transaction,
  actor: Actor,
  made: readonly MadeLocation[],
  today: string,
): Promise<void> {
  for (const [fate, { to, comment, inDays }] of Object.entries(endings)) {
    const ids = made
      .filter(({ plan, location }) => plan.fate === fate && location.status === 'ACTIVE')
      .map(({ location }) => location.id);
    if (ids.length === 0) continue;
    const locked = await lockLocations(transaction, actor.partner.id, ids);
    const endDate = inDays === undefined ? {} : { endDate: daysAfter(today, inDays) };
    await moveLocations(transaction, actor, locked, { to, comment, ...endDate, by: 'person', today });
  }
}
