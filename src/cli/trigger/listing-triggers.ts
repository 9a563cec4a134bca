import { acceptsSubmissions } from '../../modules/directories/index.ts';
import { check, chosenListing } from './subjects.ts';
import type { Trigger } from './trigger.ts';

const any = () => true;

const about =
  (id: number) =>
  ({ listing }: Record<string, unknown>) =>
    listing === id;

export const listingTriggers = {
  LISTING_SYNC_CHECK: {
    change: 'compares a location with its directories; one event for each listing',
    run: async (run) => {
      const { id, type, locationId } = await chosenListing(run, any);
      run.say(`Location ${locationId} is compared with its directories, ${type} among them.`);
      return run.eventOf(() => check(run, locationId), about(id));
    },
  },
  LISTING_STATUS_CHANGE: {
    change: 'sets the sync status of a listing; the check that follows corrects it',
    run: async (run) => {
      const { id, type, syncStatus } = await chosenListing(run, any);
      const other = syncStatus === 'NOT_IN_SYNC' ? 'IN_SYNC' : 'NOT_IN_SYNC';
      const change = async () => {
        await run.api.call('PATCH', `/api/listings/${id}`, { syncStatus: other, comment: 'waypost trigger' });
        run.say(`Listing ${id} on ${type} was set to ${other}. A check is queued, which sets the true status.`);
      };
      return run.eventOf(change, about(id));
    },
  },
  LISTING_LINK_CHANGE: {
    change: 'removes the link of a listing and sets it again, which is a second event',
    run: async (run) => {
      const { id, type, listingId } = await chosenListing(run, any);
      const link = (page: string | null) =>
        run.api.call('PATCH', `/api/listings/${id}`, {
          listingId: page,
          ...(page === null && { listingUrl: null }),
          comment: 'waypost trigger',
        });
      const change = async () => {
        await link(null);
        run.say(`Listing ${id} is not linked to its page on ${type}.`);
        run.restoreAtEnd(`Listing ${id} is linked to ${listingId} again. The link counts as set by a user.`, () =>
          link(listingId),
        );
      };
      return run.eventOf(change, about(id));
    },
  },
  LISTING_UPDATE: {
    change: 'submits the data of a location to a directory; the data does not change',
    run: async (run) => {
      const { id, type, locationId } = await chosenListing(run, acceptsSubmissions);
      const change = async () => {
        await run.api.call('POST', `/api/listings/${id}/submit`);
        run.say(`Location ${locationId} is submitted to ${type}.`);
      };
      return run.eventOf(change, about(id));
    },
  },
} satisfies Record<string, Trigger>;
