import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../http/authenticate.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound, Problem } from '../../../problems.ts';
import type { SandboxControl } from '../../directories/index.ts';
import { checkListingDatapoints, enqueueCheck, findListingById } from '../../listings/index.ts';
import { demandSolePartner } from './demand-sole-partner.ts';
import { inSandbox } from './in-sandbox.ts';
import { directoryParams, ListingDrift, NewReview, Outage, SandboxAnswer, sandboxAnswer } from './sandbox-panel.ts';

/**
 * In a demo, things can be made to happen on the directories, to see what comes of them here. Waypost then looks there
 * at once rather than when it would have. These are the only routes that speak with the sandbox themselves.
 */
export function sandboxPanelRoutes(server: FastifyInstance, { config, database, sandbox }: Services): void {
  if (!config.demo) return;

  const tell = <T>(work: (control: SandboxControl) => Promise<T>) => inSandbox(sandbox, work);

  /** The page on a directory that a listing of the caller's points to. */
  async function pageOf({ partnerId }: Caller, listingId: number) {
    const listing = await findListingById(database.pool, listingId);
    if (listing?.partnerId !== partnerId) throw notFound(`listing ${listingId}`);
    if (listing.externalId === null) {
      throw new Problem('USER_ERROR', { message: `Listing ${listingId} has no page on ${listing.directoryType} yet.` });
    }
    return { directory: listing.directoryType, page: listing.externalId };
  }

  route(server, {
    method: 'GET',
    path: '/api/sandbox',
    summary: 'In a demo: the sandbox network and how its directories are',
    needs: 'ADMIN',
    response: SandboxAnswer,
    problems: ['CONFLICT', 'USER_ERROR'],
    handler: async () => sandboxAnswer(await tell((control) => control.status())),
  });

  route(server, {
    method: 'POST',
    path: '/api/sandbox/reviews',
    summary: 'In a demo: let somebody write a review on the page of a listing',
    needs: 'ADMIN',
    body: NewReview,
    response: Type.Object({ directoryType: Type.String(), reviewId: Type.String() }),
    problems: ['NOT_FOUND', 'USER_ERROR'],
    handler: async ({ caller, body: { listingId, ...review } }) => {
      const { directory, page } = await pageOf(caller, listingId);
      const { id } = await tell((control) => control.postReview(directory, page, review));
      await checkListingDatapoints.enqueue(database.pool, { listingId });
      return { directoryType: directory, reviewId: id };
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sandbox/listing-changes',
    summary: 'In a demo: let the page of a listing show something else',
    needs: 'ADMIN',
    body: ListingDrift,
    response: Type.Object({ directoryType: Type.String(), field: Type.String(), value: Type.Unknown() }),
    problems: ['NOT_FOUND', 'USER_ERROR'],
    handler: async ({ caller, body: { listingId, field } }) => {
      const { directory, page } = await pageOf(caller, listingId);
      const drifted = await tell((control) => control.driftListing(directory, page, field));
      // Looked at only: what is different there shall be seen before it is put right.
      await enqueueCheck(database.pool, listingId, { submit: false, requested: true });
      const value = drifted.profile[drifted.field as keyof typeof drifted.profile] ?? null;
      return { directoryType: directory, field: drifted.field, value };
    },
  });

  const done = Type.Object({ success: Type.Boolean() });

  route(server, {
    method: 'PUT',
    path: '/api/sandbox/directories/:type/outage',
    summary: 'In a demo whose partners all belong to the caller: take a directory down for a while',
    needs: 'ADMIN',
    params: directoryParams,
    body: Outage,
    response: done,
    problems: ['NOT_FOUND', 'CONFLICT', 'USER_ERROR'],
    handler: async ({ caller, params: { type }, body: { seconds, listingId } }) => {
      await demandSolePartner(database.pool, caller, `The directory ${type}`);
      if (listingId !== undefined) await pageOf(caller, listingId);
      await tell((control) => control.simulateOutage(type, seconds));
      if (listingId !== undefined) await enqueueCheck(database.pool, listingId, { submit: false, requested: true });
      return { success: true };
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/sandbox/directories/:type/outage',
    summary: 'In a demo whose partners all belong to the caller: end the outage of a directory',
    needs: 'ADMIN',
    params: directoryParams,
    response: done,
    problems: ['CONFLICT', 'USER_ERROR'],
    handler: async ({ caller, params: { type } }) => {
      await demandSolePartner(database.pool, caller, `The directory ${type}`);
      await tell((control) => control.endFailure(type));
      return { success: true };
    },
  });
}
