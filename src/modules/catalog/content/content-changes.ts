import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { defineJob } from '../../../jobs/job.ts';
import { type Actor, actorOf } from '../../accounts/index.ts';
import { touchCollection } from './content-store.ts';

interface CollectionChange {
  collectionId: number;
  partnerId: number;
  actor: Pick<Actor, 'partner' | 'by'>;
  /** A location whose change is already recorded. */
  exceptLocationId?: number | undefined;
  /** The last location of the previous batch. */
  after?: number;
}

/** Records changed items for a batch of the locations that use the collection. Implemented by the locations module. */
export const collectionChanged = defineJob<CollectionChange>('content.collection-changed', {
  key: ({ collectionId, after = 0 }) => `content.collection-changed-${collectionId}-${after}`,
});

/** Records changed items of a locked collection. */
export async function recordItemChange(
  transaction: Transaction,
  caller: Caller,
  collectionId: number,
  exceptLocationId?: number,
): Promise<void> {
  await touchCollection(transaction, collectionId);
  const actor = actorOf(caller);
  await recordAudit(transaction, actor, 'CHANGED', 'CONTENT_COLLECTION', collectionId, { fields: ['items'] });
  await enqueueCollectionChange(transaction, caller, collectionId, exceptLocationId);
}

export async function enqueueCollectionChange(
  transaction: Transaction,
  caller: Caller,
  collectionId: number,
  exceptLocationId?: number,
): Promise<void> {
  const { partner, by } = actorOf(caller);
  const change = { collectionId, partnerId: partner.id, actor: { partner, by }, exceptLocationId };
  await collectionChanged.enqueue(transaction, change);
}
