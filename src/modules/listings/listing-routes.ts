import type { FastifyInstance } from 'fastify';
import { expressionBuilder } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { anyOf, db } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import type { Transaction } from '../../database/transaction.ts';
import {
  flowStatus,
  listingClaimStatus,
  syncStatus,
  updateResult,
  updateStatusOrNull,
} from '../../events/catalogue/status-values.ts';
import { inReach, reachOf } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { isDescending, longList, longListSchema, orderQuery, pageQuery } from '../../http/pagination.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { requireChange } from '../../http/validation.ts';
import { notFound } from '../../problems.ts';
import { actorOf } from '../accounts/index.ts';
import { findLocation, type Location, requireVisible } from '../locations/index.ts';
import {
  changeListingManually,
  ManualChange,
  RequestedSubmission,
  requestSubmission,
  resolveLink,
  setConnection,
} from './change-listing.ts';
import { actionRequiredFlows, connectStatuses, type Listing, ListingResponse, listingResponse } from './listing.ts';
import {
  countByDirectory,
  countListings,
  countSubmissions,
  listingSorts,
  listListings,
  listSubmissions,
  lockListingsOf,
} from './listing-store.ts';

const several = { maxItems: 1000 };

const directoryTypes = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { ...several, description }));

/** A listing must match every filter; values of one filter are alternatives. */
const listingFilter = {
  locationIds: Type.Optional(Type.Array(Id, several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  directoryType: directoryTypes('Directory type, such as GOOGLE'),
  type: directoryTypes('Alias of directoryType'),
  claimStatus: Type.Optional(Type.Array(listingClaimStatus('Owner of the listing at the directory.'))),
  flowStatus: Type.Optional(Type.Array(flowStatus('Next step.'))),
  syncStatus: Type.Optional(Type.Array(syncStatus('Whether the directory shows the data of the location.'))),
  connectStatus: Type.Optional(Type.Array(Type.Enum([...connectStatuses]))),
  duplicates: Type.Optional(Type.Boolean({ description: 'true: only duplicates; false: only originals' })),
};

const shape = Type.Object(listingFilter);

const businessIdOfListing = expressionBuilder<DB, 'listings'>()
  .selectFrom('locations')
  .select('locations.businessId')
  .whereRef('locations.id', '=', 'listings.locationId');

/** The matching listings that the caller may see. */
function visibleListings(
  sql: Sql,
  caller: Caller,
  wanted: Static<typeof shape> & { id?: number; ofDeletedLocations?: boolean },
) {
  let listings = inReach(
    db(sql).selectFrom('listings').where('listings.partnerId', '=', caller.partnerId),
    reachOf(caller),
    { business: businessIdOfListing, location: 'listings.locationId' },
  );
  const { id, locationIds, businessIds, directoryType, type, duplicates, ofDeletedLocations = true } = wanted;
  if (id !== undefined) listings = listings.where('listings.id', '=', id);
  if (locationIds) listings = listings.where('listings.locationId', '=', anyOf(locationIds, 'bigint'));
  for (const types of [directoryType, type]) {
    const upperCase = types?.map((type) => type.toUpperCase());
    if (upperCase) listings = listings.where('listings.directoryType', '=', anyOf(upperCase, 'text'));
  }
  for (const column of ['claimStatus', 'flowStatus', 'syncStatus', 'connectStatus'] as const) {
    const statuses = wanted[column];
    if (statuses) listings = listings.where(`listings.${column}`, '=', anyOf(statuses, 'text'));
  }
  if (businessIds) {
    listings = listings.where('listings.locationId', 'in', ({ selectFrom }) =>
      selectFrom('locations').select('locations.id').where('businessId', '=', anyOf(businessIds, 'bigint')),
    );
  }
  if (!ofDeletedLocations) {
    listings = listings.where(({ exists, not, selectFrom }) => {
      const deleted = selectFrom('locations')
        .select('locations.id')
        .whereRef('locations.id', '=', 'listings.locationId');
      // With the partner, for the index locations_status.
      return not(exists(deleted.where('locations.partnerId', '=', caller.partnerId).where('status', '=', 'DELETED')));
    });
  }
  if (duplicates !== undefined) listings = listings.where('listings.duplicateOf', duplicates ? 'is not' : 'is', null);
  return listings;
}

export const SubmissionResponse = Type.Object({
  id: Type.Integer(),
  date: Type.String(),
  updateResult: updateResult('Result of the submission.'),
  updateStatus: updateStatusOrNull('Why the listing was not updated; null if it was.'),
  messages: Type.Array(Type.String()),
});

const DirectoryCountsResponse = Type.Object({
  directoryType: Type.String({ examples: ['GOOGLE'] }),
  listings: Type.Integer({ minimum: 0 }),
  inSync: Type.Integer({ minimum: 0 }),
  notInSync: Type.Integer({ minimum: 0 }),
  notFound: Type.Integer({ minimum: 0, description: 'Without listings on directories that accept no location data' }),
  technicalProblems: Type.Integer({ minimum: 0 }),
  actionRequired: Type.Integer({
    minimum: 0,
    description: `Listings that need a user: flowStatus ${actionRequiredFlows.join(' or ')}`,
  }),
});

export function listingRoutes(server: FastifyInstance, { database, pages }: Services): void {
  const visible = async (sql: Sql, caller: Caller, id: number): Promise<Listing> => {
    const [listing] = await listListings(visibleListings(sql, caller, { id }), caller.partnerId, { offset: 0, max: 1 });
    if (!listing) throw notFound(`listing ${id}`);
    return listing;
  };

  const lockVisible = async (transaction: Transaction, caller: Caller, id: number): Promise<Listing> => {
    const { locationId } = await visible(transaction, caller, id);
    await lockListingsOf(transaction, locationId);
    return visible(transaction, caller, id);
  };

  route(server, {
    method: 'GET',
    path: '/api/listings',
    summary: 'List listings, without those of deleted locations',
    needs: 'LOCATION_READ',
    query: Type.Object({
      ...pageQuery,
      ...listingFilter,
      sort: Type.Enum([...listingSorts], { default: 'id' }),
      order: orderQuery('ASC'),
    }),
    response: longListSchema('listings', ListingResponse),
    handler: async ({ caller, query }) => {
      const listings = visibleListings(database.pool, caller, { ...query, ofDeletedLocations: false });
      const [counted, found] = await Promise.all([
        countListings(database.pool, caller.partnerId, listings),
        listListings(listings, caller.partnerId, { ...query, descending: isDescending(query.order) }),
      ]);
      return longList('listings', query, counted, found, listingResponse);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/listings/by-directory',
    summary: 'Count listings by directory and status, without duplicates and listings that are inactive or removed',
    needs: 'LOCATION_READ',
    query: Type.Object({ locationIds: listingFilter.locationIds, businessIds: listingFilter.businessIds }),
    response: Type.Object({ directories: Type.Array(DirectoryCountsResponse) }),
    handler: async ({ caller, query }) => {
      const wanted = { ...query, duplicates: false, ofDeletedLocations: false };
      return { directories: await countByDirectory(visibleListings(database.pool, caller, wanted)) };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/listings/:id',
    summary: 'Get a listing with the comparison of location and directory',
    needs: 'LOCATION_READ',
    params: idParams,
    response: ListingResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => listingResponse(await visible(database.pool, caller, id)),
  });

  route(server, {
    method: 'GET',
    path: '/api/locations/:id/listings',
    summary: 'List the listings of a location',
    needs: 'LOCATION_READ',
    params: idParams,
    query: Type.Object({ ...pageQuery, duplicates: listingFilter.duplicates }),
    response: longListSchema('listings', ListingResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      const listings = visibleListings(database.pool, caller, { ...query, locationIds: [id] });
      const [, counted, found] = await Promise.all([
        requireLocation(database.pool, caller, id),
        countListings(database.pool, caller.partnerId, listings),
        listListings(listings, caller.partnerId, query),
      ]);
      return longList('listings', query, counted, found, listingResponse);
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/listings/:id',
    summary: 'Change the statuses or the link of a listing',
    needs: 'LOCATION_WRITE',
    params: idParams,
    body: ManualChange,
    response: ListingResponse,
    problems: ['NOT_FOUND', 'CONFLICT', 'DIRECTORY_UNAVAILABLE'],
    handler: async ({ caller, params: { id }, body, warnings }) => {
      requireChange(body, ManualChange.properties, warnings);
      const link = await resolveLink(pages, await visible(database.pool, caller, id), body);
      return database.transaction(async (transaction) => {
        const listing = await lockVisible(transaction, caller, id);
        const { businessId } = await requireLocation(transaction, caller, listing.locationId);
        await changeListingManually(transaction, actorOf(caller), { listing, businessId }, body, link);
        return listingResponse(await visible(transaction, caller, id));
      });
    },
  });

  for (const [action, connectStatus, summary] of [
    ['connect', 'CONNECTED', 'Record that an account of the directory is connected'],
    ['disconnect', 'NOT_CONNECTED', 'Record that the account of the directory is disconnected'],
  ] as const) {
    route(server, {
      method: 'POST',
      path: `/api/listings/:id/${action}`,
      summary,
      needs: 'LOCATION_WRITE',
      params: idParams,
      response: ListingResponse,
      problems: ['NOT_FOUND'],
      handler: (request) =>
        idempotentTransaction(request, async (transaction) => {
          const { caller, params } = request;
          const listing = await lockVisible(transaction, caller, params.id);
          await setConnection(transaction, actorOf(caller), listing, connectStatus);
          return listingResponse(await visible(transaction, caller, params.id));
        }),
    });
  }

  route(server, {
    method: 'POST',
    path: '/api/listings/:id/submit',
    summary: "Submit the location's data to the directory now; a LISTING_UPDATE event reports the result",
    needs: 'LOCATION_WRITE',
    params: idParams,
    response: RequestedSubmission,
    problems: ['NOT_FOUND'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params, warnings } = request;
        const listing = await lockVisible(transaction, caller, params.id);
        const response = await requestSubmission(transaction, actorOf(caller), listing);
        if (response.submission === 'ALREADY_QUEUED') {
          warnings.push(
            `A submission of listing ${listing.id} is already queued. One LISTING_UPDATE event reports it.`,
          );
        }
        return response;
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/listings/:id/submissions',
    summary: 'List the submissions of a listing, newest first',
    needs: 'LOCATION_READ',
    params: idParams,
    query: Type.Object(pageQuery),
    response: longListSchema('submissions', SubmissionResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      await visible(database.pool, caller, id);
      const [counted, found] = await Promise.all([
        countSubmissions(database.pool, caller.partnerId, id),
        listSubmissions(database.pool, id, query),
      ]);
      return longList('submissions', query, counted, found, (submission) => ({
        ...submission,
        date: submission.date.toISOString(),
      }));
    },
  });
}

/** Throws NOT_FOUND for locations that the caller cannot access. */
export async function requireLocation(sql: Sql, caller: Caller, id: number): Promise<Location> {
  return requireVisible(caller, id, await findLocation(sql, caller.partnerId, id));
}
