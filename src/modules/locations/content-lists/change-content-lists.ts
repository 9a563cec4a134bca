import type { Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { actorOf } from '../../accounts/index.ts';
import {
  type ContentList,
  type ContentLists,
  contentListsOf,
  type NamedList,
  replaceContentLists,
  writtenLists,
} from '../../catalog/index.ts';
import { recordChanges } from '../location-change-store.ts';

/** Replaces the lists of a locked location. Returns whether anything changed. */
export async function changeContentLists(
  transaction: Transaction,
  caller: Caller,
  { id, businessId }: { id: number; businessId: number },
  given: Static<typeof ContentLists>['contentLists'],
): Promise<boolean> {
  const before = await listsOf(transaction, id);
  const { lists, itemsWritten } = await writtenLists(transaction, caller, businessId, before, given);
  if (!itemsWritten && isSame(before, lists)) return false;
  await replaceContentLists(transaction, { partnerId: caller.partnerId, id }, lists);
  return true;
}

export const listsOf = async (sql: Sql, locationId: number): Promise<ContentList[]> =>
  (await contentListsOf(sql, [locationId])).get(locationId) ?? [];

const isSame = (before: readonly ContentList[], lists: readonly NamedList[]) =>
  before.length === lists.length &&
  before.every(({ collectionId, name }, at) => lists[at]?.collectionId === collectionId && lists[at].name === name);

/** Records the change in the history, as an event and in the audit log. */
export async function recordContentListChange(
  transaction: Transaction,
  caller: Caller,
  locationId: number,
): Promise<void> {
  const actor = actorOf(caller);
  await recordChanges(transaction, actor.by, [{ locationId, fields: ['contentLists'] }]);
  await recordEvent(transaction, {
    partner: actor.partner,
    type: 'LOCATION_PROFILE_CHANGED',
    fields: { comment: 'Changed: contentLists', location: locationId, user: actor.by },
  });
  await recordAudit(transaction, actor, {
    action: 'CHANGED',
    subject: 'LOCATION',
    subjectId: locationId,
    details: { fields: ['contentLists'] },
  });
}
