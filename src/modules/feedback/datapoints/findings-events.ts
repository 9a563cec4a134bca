import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import type { Place } from '../../listings/index.ts';
import type { DatapointType } from './datapoint.ts';

/** What a check changed, by ids in order. */
export interface Recorded {
  readonly added: readonly number[];
  readonly addedTypes: readonly DatapointType[];
  readonly updated: readonly number[];
  /** Datapoints that are gone. */
  readonly invalid: readonly number[];
  /** Replies that are gone. */
  readonly deleted: readonly number[];
}

/** One event for what was found and one for what is gone; a check that changed nothing is no event. */
export async function recordFindingsEvents(transaction: Transaction, place: Place, recorded: Recorded): Promise<void> {
  const events = place.locationId === null ? pageEvents : listingEvents;
  await events(transaction, place, recorded, place.locationId ?? 0);
}

async function listingEvents(transaction: Transaction, place: Place, recorded: Recorded, location: number) {
  const { partner, businessId: business, directoryType } = place;
  const common = { business, listing: place.id, location, directoryType };
  if (isFind(recorded)) {
    const fields = {
      ...common,
      ...countFields(recorded),
      ...foundFields(recorded),
      ...(recorded.updated.length > 0 && { updatedDataPointIds: [...recorded.updated] }),
    };
    await recordEvent(transaction, { partner, type: 'LISTING_DATAPOINT_CHECK', fields });
  }
  if (isLoss(recorded)) {
    const fields = { ...common, ...vanishedFields(recorded) };
    await recordEvent(transaction, { partner, type: 'LISTING_DATAPOINT_INVALID', fields });
  }
}

async function pageEvents(transaction: Transaction, place: Place, recorded: Recorded) {
  const { partner, businessId: business, directoryType } = place;
  const common = { business, directoryType, directoryBusinessPage: place.id };
  if (isFind(recorded)) {
    const fields = { ...common, ...foundFields(recorded), updatedDataPointIds: [...recorded.updated] };
    await recordEvent(transaction, { partner, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK', fields });
    const brandFields = { ...fields, ...countFields(recorded) };
    await recordEvent(transaction, { partner, type: 'BRAND_DATAPOINT_CHECK', fields: brandFields });
  }
  if (isLoss(recorded)) {
    const fields = { ...common, ...vanishedFields(recorded) };
    await recordEvent(transaction, { partner, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID', fields });
  }
}

export const isFind = ({ added, updated }: Recorded) => added.length + updated.length > 0;

export const isLoss = ({ invalid, deleted }: Recorded) => invalid.length + deleted.length > 0;

const foundFields = ({ added }: Recorded) => ({ newDatapointsFound: added.length > 0, newDataPointIds: [...added] });

const vanishedFields = ({ invalid, deleted }: Recorded) => ({
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
