import { acceptsSubmissions } from '../../modules/directories/index.ts';
import { withSandbox } from '../sandbox/sandbox-client.ts';
import {
  about,
  check,
  chosenListing,
  chosenLocation,
  type Location,
  type Trigger,
  type TriggerRun,
  temporaryName,
} from './trigger.ts';

const setStatus = (run: TriggerRun, id: number, status: string) =>
  run.api.call('POST', `/api/locations/${id}/status`, { status, comment: 'waypost trigger' });

const any = () => true;

export const locationTriggers = {
  LOCATION_CREATED: {
    change: 'creates a location in the business of a location, and deletes it',
    run: async (run) => {
      const { businessId, street, zip, city, country, categories } = await chosenLocation(
        run,
        'ACTIVE',
        'NEEDS_REVIEW',
      );
      const streetNo = String(Date.now() % 100_000);
      const location = { businessId, name: temporaryName(), street, streetNo, zip, city, country, categories };
      let created: number | undefined;
      const add = async () => {
        const { id } = await run.api.call<Location>('POST', '/api/locations', location);
        run.say(`Location ${id} created.`);
        run.restoreAtEnd(`Location ${id} deleted.`, () => setStatus(run, id, 'DELETED'));
        created = id;
      };
      return run.eventOf(add, (event) => event.location === created);
    },
  },
  LOCATION_STATUS_CHANGED: {
    change: 'sets a location to NEEDS_REVIEW and back to ACTIVE, which is a second event',
    run: async (run) => {
      const { id, status } = await chosenLocation(run, 'ACTIVE', 'NEEDS_REVIEW');
      const other = status === 'ACTIVE' ? 'NEEDS_REVIEW' : 'ACTIVE';
      const change = async () => {
        await setStatus(run, id, other);
        run.say(`Location ${id} is ${other}.`);
        run.restoreAtEnd(`Location ${id} is ${status} again.`, () => setStatus(run, id, status));
      };
      return run.eventOf(change, about('location', id));
    },
  },
  LOCATION_PROFILE_CHANGED: {
    change: 'changes the short description of a location and back, which is a second event',
    run: async (run) => {
      const { id, descriptionShort = null } = await chosenLocation(run, 'ACTIVE', 'NEEDS_REVIEW');
      const patch = (text: string | null) => run.api.call('PATCH', `/api/locations/${id}`, { descriptionShort: text });
      const change = async () => {
        await patch(temporaryName());
        run.say(`descriptionShort of location ${id} changed.`);
        run.restoreAtEnd(`descriptionShort of location ${id} restored.`, () => patch(descriptionShort));
      };
      return run.eventOf(change, about('location', id));
    },
  },
  LOCATION_DATA_SUGGESTION: {
    change:
      'changes the phone number on a directory and checks the location, then restores it and hides the suggestion',
    run: async (run) => {
      const { type, listingId, locationId } = await chosenListing(run, ({ fields }) => fields.includes('phone'));
      const { profile } = await withSandbox((control) => control.listing(type, listingId));
      const change = async () => {
        const drifted = await withSandbox((control) => control.driftListing(type, listingId, 'phone'));
        run.say(`${type} shows the phone number ${drifted.profile.phone} for location ${locationId}.`);
        run.restoreAtEnd(`${type} shows the phone number of location ${locationId} again.`, async () => {
          const phone = profile.phone ?? null;
          await withSandbox((control) => control.changeListing(type, listingId, { profile: { phone } }));
          await check(run, locationId);
        });
        await check(run, locationId);
      };
      const found = await run.eventOf(change, about('location', locationId));
      const decisions = (found.event.suggestionIds as number[]).map((id) => ({ id, status: 'HIDDEN' }));
      run.restoreAtEnd('Suggestion hidden.', () =>
        run.api.call('PUT', `/api/locations/${locationId}/suggestions`, decisions),
      );
      return found;
    },
  },
  LISTING_SYNC_CHECK: {
    change: 'compares a location with its directories; one event for each listing',
    run: async (run) => {
      const { id, type, locationId } = await chosenListing(run, any);
      run.say(`Location ${locationId} is compared with its directories, ${type} among them.`);
      return run.eventOf(() => check(run, locationId), about('listing', id));
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
      return run.eventOf(change, about('listing', id));
    },
  },
  LISTING_LINK_CHANGE: {
    change: 'removes the link of a listing and sets it again, which is a second event',
    run: async (run) => {
      const { id, type, listingId } = await chosenListing(run, any);
      const link = (externalId: string | null) =>
        run.api.call('PATCH', `/api/listings/${id}`, {
          listingId: externalId,
          ...(externalId === null && { listingUrl: null }),
          comment: 'waypost trigger',
        });
      const change = async () => {
        await link(null);
        run.say(`Listing ${id} is not linked to ${type}.`);
        run.restoreAtEnd(`Listing ${id} is linked to ${listingId} again. The link counts as set by a user.`, () =>
          link(listingId),
        );
      };
      return run.eventOf(change, about('listing', id));
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
      return run.eventOf(change, about('listing', id));
    },
  },
} satisfies Record<string, Trigger>;
