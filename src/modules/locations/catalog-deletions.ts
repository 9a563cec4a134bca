import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { Problem } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { countLiveLocations, recordChanges, removeLabel } from './location-store.ts';

/** Bounds memory use. */
const batchSize = 1000;

/** Removes a label from every location that has it, and records the change of each. */
export async function removeLabelFromLocations(
  transaction: Transaction,
  actor: Actor,
  { id: labelId }: { id: number },
): Promise<void> {
  for (;;) {
    const dropped = await removeLabel(transaction, actor.partner.id, labelId, batchSize);
    const ids = dropped.flatMap(({ id, deleted }) => (deleted ? [] : [id])).toSorted((a, b) => a - b);
    if (ids.length > 0) await recordLabelRemoval(transaction, actor, ids);
    if (dropped.length < batchSize) return;
  }
}

async function recordLabelRemoval(transaction: Transaction, actor: Actor, ids: readonly number[]): Promise<void> {
  const fields = ['labels'];
  const changes = ids.map((locationId) => ({ locationId, fields }));
  const events = ids.map((location) => ({
    partner: actor.partner,
    type: 'LOCATION_PROFILE_CHANGED' as const,
    fields: { comment: `Changed: ${fields.join(', ')}`, location, user: actor.by },
  }));
  await recordChanges(transaction, actor.by, changes);
  await recordEvents(transaction, events);
}

export async function rejectDeletionWithLocations(transaction: Transaction, businessId: number): Promise<void> {
  const locations = await countLiveLocations(transaction, businessId);
  if (locations === 0) return;
  throw new Problem('CONFLICT', {
    message: `Business ${businessId} has ${locations} ${locations === 1 ? 'location' : 'locations'}. Delete them first.`,
  });
}
