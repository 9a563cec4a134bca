import { withSandbox } from '../sandbox/sandbox-client.ts';
import { addBusiness } from './business-triggers.ts';
import {
  about,
  check,
  chosenListing,
  type LinkedListing,
  type RecordedEvent,
  type Trigger,
  type TriggerRun,
  temporaryName,
} from './trigger.ts';

const text = 'Added by waypost trigger.';
const brandDirectory = 'FACEBOOK';

const chosenReviewListing = (run: TriggerRun) =>
  chosenListing(run, ({ dataPointTypes }) => dataPointTypes.includes('REVIEW'));

/** Adds a review on the directory and waits for the check that finds it. */
async function addReview(run: TriggerRun, { id, type, listingId, locationId }: LinkedListing) {
  let review = '';
  let isRemoved = false;
  const add = async () => {
    const posted = await withSandbox((control) => control.postReview(type, listingId, { rating: 5, text }));
    review = posted.id;
    run.say(`Review ${review} added on ${type} for location ${locationId}.`);
    run.restoreAtEnd(`Review ${review} removed from ${type}.`, async () => {
      if (!isRemoved) await removeAndCheck();
    });
    await check(run, locationId);
  };
  const removeAndCheck = async () => {
    await withSandbox((control) => control.removeDataPoint(type, review));
    isRemoved = true;
    await check(run, locationId);
  };
  const found = await run.eventOf(add, about('listing', id), 'LISTING_DATAPOINT_CHECK');
  return { found, removeAndCheck };
}

/** Adds a brand page with a comment, for a new business, and waits for the check that finds them. */
async function addComment(run: TriggerRun, type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK' | 'BRAND_DATAPOINT_CHECK') {
  const name = temporaryName();
  const businessId = await addBusiness(run, name);
  const page = await withSandbox((control) => control.addBrandPage(brandDirectory, { name }));
  const comment = await withSandbox((control) =>
    control.postDataPoint(brandDirectory, { brandPage: page.id }, { type: 'COMMENT', text }),
  );
  run.say(
    `Comment ${comment.id} added on the brand page ${page.id} on ${brandDirectory}. Both stay, and in the inbox.`,
  );
  const isOfBusiness = about('business', businessId);
  const found = await run.eventOf(
    () => run.api.call('POST', '/api/directory-business-pages/discover', { businessId }),
    isOfBusiness,
    type,
  );
  return { found, commentId: comment.id, isOfBusiness };
}

export const feedbackTriggers = {
  LISTING_DATAPOINT_CHECK: {
    change: 'adds a review on a directory and checks the location, then removes the review',
    run: async (run) => (await addReview(run, await chosenReviewListing(run))).found,
  },
  LISTING_DATAPOINT_INVALID: {
    change: 'adds a review on a directory, removes it, and checks the location after each step',
    run: async (run) => {
      const listing = await chosenReviewListing(run);
      const { found, removeAndCheck } = await addReview(run, listing);
      const added = (found.event.newDataPointIds ?? []) as number[];
      const isInvalid = (event: RecordedEvent['event']) =>
        added.some((id) => (event.invalidDataPointIds as number[]).includes(id));
      return run.eventOf(removeAndCheck, isInvalid);
    },
  },
  DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK: {
    change: 'creates a business with a brand page and a comment on it, and deletes the business',
    run: async (run) => (await addComment(run, 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK')).found,
  },
  BRAND_DATAPOINT_CHECK: {
    change: 'the same change, which is two events; the page and the comment stay on the directory and in the inbox',
    run: async (run) => (await addComment(run, 'BRAND_DATAPOINT_CHECK')).found,
  },
  DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID: {
    change: 'the same, and removes the comment. No request checks a brand page: it waits for the next scheduled check',
    timeoutMs: 40 * 60_000,
    run: async (run) => {
      const { commentId, isOfBusiness } = await addComment(run, 'BRAND_DATAPOINT_CHECK');
      return run.eventOf(async () => {
        await withSandbox((control) => control.removeDataPoint(brandDirectory, commentId));
        run.say(
          'Comment removed. The next scheduled check of the page finds that, after WAYPOST_DATAPOINT_CHECK_INTERVAL ' +
            '(default: 30 minutes).',
        );
      }, isOfBusiness);
    },
  },
} satisfies Record<string, Trigger>;
