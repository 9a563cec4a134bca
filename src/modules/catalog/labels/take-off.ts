import type { Transaction } from '../../../database/transaction.ts';
import { recordEvents } from '../../../events/outbox/record-events.ts';
import type { Actor } from '../../accounts/actor.ts';
import { recordChanges } from '../../locations/location-change-store.ts';
import { dropLabel } from '../../locations/location-store.ts';

/** So many locations are held in memory at once, however many have the label. */
const pieceSize = 1000;

/** Takes a label off every location that has it; each is changed by that, and told of like any other change. */
export async function takeOffLocations(transaction: Transaction, actor: Actor, labelId: number): Promise<void> {
  for (;;) {
    const dropped = await dropLabel(transaction, actor.partner.id, labelId, pieceSize);
    const ids = dropped.flatMap(({ id, deleted }) => (deleted ? [] : [id])).toSorted((a, b) => a - b);
    if (ids.length > 0) await tell(transaction, actor, ids);
    if (dropped.length < pieceSize) return;
  }
}

async function tell(transaction: Transaction, actor: Actor, ids: readonly number[]): Promise<void> {
  const fields = ['labels'];
  await recordChanges(
    transaction,
    actor.by,
    ids.map((locationId) => ({ locationId, fields })),
  );
  await recordEvents(
    transaction,
    ids.map((location) => ({
      partner: actor.partner,
      type: 'LOCATION_PROFILE_CHANGED' as const,
      fields: { comment: `Changed: ${fields.join(', ')}`, location, user: actor.by },
    })),
  );
}
