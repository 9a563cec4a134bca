import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import type { DatapointFeed } from '../../listings/index.ts';
import type { DatapointType } from './datapoint.ts';

/** Ids of what a check changed, in ascending order. */
export interface Recorded {
  readonly added: readonly number[];
  readonly addedTypes: readonly DatapointType[];
  readonly updated: readonly number[];
  /** Datapoints that were removed from the directory. */
  readonly invalid: readonly number[];
  /** Replies that were removed from the directory. */
  readonly deleted: readonly number[];
}

/** Records one event for additions and updates and one for removals. A check without changes records none. */
export async function recordCheckEvents(
  transaction: Transaction,
  place: DatapointFeed,
  recorded: Recorded,
): Promise<void> {
  const events = place.locationId === null ? pageEvents : listingEvents;
  await events(transaction, place, recorded, place.locationId ?? 0);
}

async function listingEvents(transaction: Transaction, place: DatapointFeed, recorded: Recorded, location: number) {
  const { partner, businessId: business, directoryType } = place;
  const common = { business, listing: place.id, location, directoryType };
  if (hasAdditions(recorded)) {
    const fields = {
      ...common,
      ...countFields(recorded),
      ...addedFields(recorded),
      ...(recorded.updated.length > 0 && { updatedDataPointIds: [...recorded.updated] }),
    };
    await recordEvent(transaction, { partner, type: 'LISTING_DATAPOINT_CHECK', fields });
  }
  if (hasRemovals(recorded)) {
    const fields = { ...common, ...removedFields(recorded) };
    await recordEvent(transaction, { partner, type: 'LISTING_DATAPOINT_INVALID', fields });
  }
}

async function pageEvents(transaction: Transaction, place: DatapointFeed, recorded: Recorded) {
  const { partner, businessId: business, directoryType } = place;
  const common = { business, directoryType, directoryBusinessPage: place.id };
  if (hasAdditions(recorded)) {
    const fields = { ...common, ...addedFields(recorded), updatedDataPointIds: [...recorded.updated] };
    await recordEvent(transaction, { partner, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK', fields });
    const brandFields = { ...fields, ...countFields(recorded) };
    await recordEvent(transaction, { partner, type: 'BRAND_DATAPOINT_CHECK', fields: brandFields });
  }
  if (hasRemovals(recorded)) {
    const fields = { ...common, ...removedFields(recorded) };
    await recordEvent(transaction, { partner, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID', fields });
  }
}

export const hasAdditions = ({ added, updated }: Recorded) => added.length + updated.length > 0;

export const hasRemovals = ({ invalid, deleted }: Recorded) => invalid.length + deleted.length > 0;

const addedFields = ({ added }: Recorded) => ({ newDatapointsFound: added.length > 0, newDataPointIds: [...added] });

const removedFields = ({ invalid, deleted }: Recorded) => ({
  invalidDataPointIds: [...invalid],
  deletedDataPointIds: [...deleted],
});

function countFields({ addedTypes }: Recorded) {
  const count = (type: DatapointType) => addedTypes.filter((one) => one === type).length;
  return {
    newPhotosFound: count('PHOTO'),
    newReviewsFound: count('REVIEW'),
    newCheckinsFound: count('CHECKIN'),
    newConversationsFound: count('CONVERSATION'),
    newCommentsFound: count('COMMENT'),
    newQuestionsFound: count('QUESTION'),
  };
}
