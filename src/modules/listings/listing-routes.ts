import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { updateResult, updateStatusOrNull } from '../../events/catalogue/status-values.ts';
import { reaches, reachOf } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { idParams } from '../../http/ids.ts';
import { isDescending, longList, longListSchema, orderQuery, pageQuery } from '../../http/pagination.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { nothingToChange } from '../../http/validation.ts';
import { notFound } from '../../problems.ts';
import { actorOf } from '../accounts/index.ts';
import { findLocation, locationNotFound } from '../locations/index.ts';
import { changeListingManually, ManualChange, setConnection } from './change-listing.ts';
import { type Listing, ListingResponse, listingResponse } from './listing.ts';
import { listingConditions, listingFilter } from './listing-filter.ts';
import { countByDirectory, countListings, listingSorts, listListings, lockListingsOf } from './listing-store.ts';
import { RequestedSubmission, requestSubmission } from './request-submission.ts';
import { resolveLink } from './resolve-link.ts';
import { countSubmissions, listSubmissions, type SubmissionRecord } from './submission-store.ts';

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
  notFound: Type.Integer({ minimum: 0 }),
  technicalProblems: Type.Integer({ minimum: 0 }),
  actionRequired: Type.Integer({
    minimum: 0,
    description: 'Listings that need a user: flowStatus WAITING_USER_ACTION or NEEDS_REVIEW',
  }),
});

const submissionResponse = ({ id, submittedAt, result, updateStatus, messages }: SubmissionRecord) => ({
  id,
  date: submittedAt.toISOString(),
  updateResult: result,
  updateStatus,
  messages,
});

export function listingRoutes(server: FastifyInstance, { database, pages }: Services): void {
  const visible = async (sql: Sql, caller: Caller, id: number): Promise<Listing> => {
    const [listing] = await listListings(sql, listingConditions(caller, { id }), { offset: 0, limit: 1 });
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
    summary: 'List listings',
    needs: 'LOCATION_READ',
    query: Type.Object({
      ...pageQuery,
      ...listingFilter,
      sort: Type.Enum([...listingSorts], { default: 'id' }),
      order: orderQuery('ASC'),
    }),
    response: longListSchema('listings', ListingResponse),
    handler: async ({ caller, query }) => {
      const { offset, max, after, sort, order, ...wanted } = query;
      const [counted, found] = await Promise.all([
        countListings(database.pool, listingConditions(caller, wanted)),
        listListings(database.pool, listingConditions(caller, wanted), {
          offset,
          limit: max + 1,
          ...(after !== undefined && { after }),
          sort,
          descending: isDescending(order),
        }),
      ]);
      return longList('listings', query, counted, found, listingResponse);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/listings/by-directory',
    summary: 'Count listings by directory and status; duplicates are not counted',
    needs: 'LOCATION_READ',
    query: Type.Object({ locationIds: listingFilter.locationIds, businessIds: listingFilter.businessIds }),
    response: Type.Object({ directories: Type.Array(DirectoryCountsResponse) }),
    handler: async ({ caller, query }) => {
      const conditions = listingConditions(caller, { ...query, duplicates: false });
      return { directories: await countByDirectory(database.pool, conditions) };
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
      const { offset, max, after, duplicates } = query;
      const wanted = { locationIds: [id], ...(duplicates !== undefined && { duplicates }) };
      const [location, counted, found] = await Promise.all([
        findLocation(database.pool, caller.partnerId, id),
        countListings(database.pool, listingConditions(caller, wanted)),
        listListings(database.pool, listingConditions(caller, wanted), {
          offset,
          limit: max + 1,
          ...(after !== undefined && { after }),
        }),
      ]);
      if (!location || !reachesLocation(caller, location)) throw locationNotFound(id);
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
    handler: async ({ caller, params: { id }, body }) => {
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(ManualChange.properties));
      const link = await resolveLink(pages, await visible(database.pool, caller, id), body);
      return database.transaction(async (transaction) => {
        const listing = await lockVisible(transaction, caller, id);
        const businessId = await businessOf(transaction, listing);
        await changeListingManually(transaction, actorOf(caller), { listing, businessId }, body, link);
        return listingResponse(await visible(transaction, caller, id));
      });
    },
  });

  for (const [action, connectStatus] of [
    ['connect', 'CONNECTED'],
    ['disconnect', 'NOT_CONNECTED'],
  ] as const) {
    route(server, {
      method: 'POST',
      path: `/api/listings/:id/${action}`,
      summary:
        action === 'connect'
          ? 'Record that an account of the directory is connected'
          : 'Record that the account of the directory is disconnected',
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
      const { offset, max, after } = query;
      await visible(database.pool, caller, id);
      const conditions = () => new Conditions(id).add('listing_id = $1');
      const page = conditions();
      if (after !== undefined) page.add(`id < ${page.value(after)}`);
      const [counted, found] = await Promise.all([
        countSubmissions(database.pool, conditions()),
        listSubmissions(database.pool, page, { offset, limit: max + 1 }),
      ]);
      return longList('submissions', query, counted, found, submissionResponse);
    },
  });
}

async function businessOf(sql: Sql, { partnerId, locationId }: Listing): Promise<number> {
  const location = await findLocation(sql, partnerId, locationId);
  if (!location) throw locationNotFound(locationId);
  return location.businessId;
}

const reachesLocation = (caller: Caller, { id, businessId }: { id: number; businessId: number }) =>
  reaches(reachOf(caller), { businessId, locationId: id });
