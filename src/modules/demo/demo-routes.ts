import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Caller } from '../../http/authenticate.ts';
import { Id } from '../../http/ids.ts';
import { recordResponse } from '../../http/record-response.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { notFound, Problem } from '../../problems.ts';
import { hasUnrelatedPartners } from '../accounts/index.ts';
import {
  directoryList,
  directoryName,
  receiverModes,
  SandboxControl,
  SandboxError,
  type SandboxStatus,
} from '../directories/index.ts';
import { checkListingDatapoints, enqueueCheck, findListingById } from '../listings/index.ts';
import { findDemoData } from './demo-task.ts';

const NewReview = Type.Object({
  listingId: Id,
  rating: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: 'Stars, if the directory supports ratings' }),
  ),
  text: Type.String({ minLength: 1, maxLength: 5000, examples: ['The best flat white in town.'] }),
  author: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['Maria K.'] })),
});

const ListingDrift = Type.Object({
  listingId: Id,
  field: Type.Optional(
    Type.String({ maxLength: 50, description: 'Default: a random field', examples: ['phone', 'openingHours'] }),
  ),
});

const Outage = Type.Object({
  seconds: Type.Integer({ minimum: 1, maximum: 3600, default: 60, description: 'Duration' }),
  listingId: Type.Optional({ ...Id, description: 'Listing to check during the outage' }),
});

const directoryParams = Type.Object({ type: Type.Enum(directoryList.map(({ type }) => type)) });

const SandboxDirectory = Type.Object({
  type: Type.String({ examples: ['GOOGLE'] }),
  name: Type.String({ examples: ['Google'] }),
  listings: Type.Integer({ description: 'Number of listings' }),
  dataPoints: Type.Integer({ description: 'Number of reviews, questions and other datapoints' }),
  requests: Type.Integer({ description: 'Requests received since the sandbox started' }),
  isDown: Type.Boolean(),
  downUntil: Type.Optional(Type.String()),
});

const SandboxResponse = Type.Object({
  life: Type.Boolean({ description: 'Whether customer activity is simulated' }),
  directories: Type.Array(SandboxDirectory),
});

const sandboxResponse = ({ life, directories }: SandboxStatus): Static<typeof SandboxResponse> => ({
  life,
  directories: directories.map(({ trouble, ...directory }) =>
    recordResponse(SandboxDirectory, {
      ...directory,
      name: directoryName(directory.type),
      isDown: trouble !== undefined,
      downUntil: trouble?.until ?? null,
    }),
  ),
});

const modes = 'accept: 200 · fail: 500 · slow: 200 after four seconds · down: the connection is closed';

const Endpoint = Type.Object({
  name: Type.String({ examples: ['crm'] }),
  url: Type.String({ examples: ['http://127.0.0.1:39211/demo-receiver/crm'] }),
  mode: Type.Enum([...receiverModes], { description: modes }),
  requests: Type.Integer({ description: 'Deliveries received since the sandbox started' }),
});

const DemoDataResponse = Type.Object({
  state: Type.Enum(['NONE', 'RUNNING', 'COMPLETE', 'INCOMPLETE']),
  progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'In percent' })),
  message: Type.Optional(Type.String({ description: 'State of the demo data, and what to do if it is incomplete' })),
});

export function demoRoutes(server: FastifyInstance, { config, database, sandbox }: Services): void {
  if (!config.demo) return;

  route(server, {
    method: 'GET',
    path: '/api/demo-data',
    summary: 'Demo only: get the state of the demo data',
    needs: 'ADMIN',
    response: DemoDataResponse,
    handler: async ({ caller }) => (await findDemoData(database.pool, caller.partnerId)) ?? { state: 'NONE' as const },
  });

  /** Calls the sandbox directly, which only these routes do. Converts a SandboxError to a Problem. */
  async function call<T>(work: (control: SandboxControl) => Promise<T>): Promise<T> {
    if (!sandbox) {
      throw new Problem('CONFLICT', {
        message: 'The sandbox network is not running. Start Waypost with "npm start" and set WAYPOST_SANDBOX to on.',
      });
    }
    return work(new SandboxControl(sandbox)).catch((error: unknown) => {
      if (error instanceof SandboxError) throw new Problem('USER_ERROR', { message: error.message });
      throw error;
    });
  }

  /** Directories and the demo receiver are shared: only a partner with all others as its descendants may change them. */
  async function requireSolePartner({ partnerId }: Caller, subject: string): Promise<void> {
    if (!(await hasUnrelatedPartners(database.pool, partnerId))) return;
    throw new Problem('FORBIDDEN', {
      message:
        `${subject} is shared with partners that do not belong to yours. ` +
        'Ask the operator to run "waypost sandbox" on the server.',
    });
  }

  /** The page on the directory of one of the caller's listings. */
  async function pageOf({ partnerId }: Caller, listingId: number) {
    const listing = await findListingById(database.pool, listingId);
    if (listing?.partnerId !== partnerId) throw notFound(`listing ${listingId}`);
    if (listing.externalId === null) {
      throw new Problem('USER_ERROR', { message: `Listing ${listingId} has no page on ${listing.directoryType} yet.` });
    }
    return { directory: listing.directoryType, page: listing.externalId };
  }

  /** Checks the listing immediately, without submitting: the difference must be visible before it is corrected. */
  const check = ({ partnerId }: Caller, listingId: number) =>
    enqueueCheck(database.pool, listingId, { submit: false, requested: true, partnerId });

  route(server, {
    method: 'GET',
    path: '/api/sandbox',
    summary: 'Demo only: get the state of the sandbox network and its directories',
    needs: 'ADMIN',
    response: SandboxResponse,
    problems: ['CONFLICT', 'USER_ERROR'],
    handler: async () => sandboxResponse(await call((control) => control.status())),
  });

  route(server, {
    method: 'POST',
    path: '/api/sandbox/reviews',
    summary: 'Demo only: add a customer review to a listing',
    needs: 'ADMIN',
    body: NewReview,
    response: Type.Object({ directoryType: Type.String(), reviewId: Type.String() }),
    problems: ['NOT_FOUND', 'USER_ERROR'],
    handler: async ({ caller, body: { listingId, ...review } }) => {
      const { directory, page } = await pageOf(caller, listingId);
      const { id } = await call((control) => control.postReview(directory, page, review));
      await checkListingDatapoints.enqueue(database.pool, { listingId, requested: true, partnerId: caller.partnerId });
      return { directoryType: directory, reviewId: id };
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sandbox/listing-changes',
    summary: 'Demo only: change a field of a listing on its directory',
    needs: 'ADMIN',
    body: ListingDrift,
    response: Type.Object({ directoryType: Type.String(), field: Type.String(), value: Type.Unknown() }),
    problems: ['NOT_FOUND', 'USER_ERROR'],
    handler: async ({ caller, body: { listingId, field } }) => {
      const { directory, page } = await pageOf(caller, listingId);
      const drifted = await call((control) => control.driftListing(directory, page, field));
      await check(caller, listingId);
      const value = drifted.profile[drifted.field as keyof typeof drifted.profile] ?? null;
      return { directoryType: directory, field: drifted.field, value };
    },
  });

  const done = Type.Object({ success: Type.Boolean() });

  route(server, {
    method: 'PUT',
    path: '/api/sandbox/directories/:type/outage',
    summary: 'Demo only, if all partners belong to the caller: start an outage of a directory',
    needs: 'ADMIN',
    params: directoryParams,
    body: Outage,
    response: done,
    problems: ['NOT_FOUND', 'CONFLICT', 'USER_ERROR'],
    handler: async ({ caller, params: { type }, body: { seconds, listingId } }) => {
      await requireSolePartner(caller, `The directory ${type}`);
      if (listingId !== undefined) await pageOf(caller, listingId);
      await call((control) => control.simulateOutage(type, seconds));
      if (listingId !== undefined) await check(caller, listingId);
      return { success: true };
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/sandbox/directories/:type/outage',
    summary: 'Demo only, if all partners belong to the caller: end the outage of a directory',
    needs: 'ADMIN',
    params: directoryParams,
    response: done,
    problems: ['CONFLICT', 'USER_ERROR'],
    handler: async ({ caller, params: { type } }) => {
      await requireSolePartner(caller, `The directory ${type}`);
      await call((control) => control.endFailure(type));
      return { success: true };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/sandbox/receiver',
    summary: 'Demo only: list the endpoints of the demo receiver and their modes',
    needs: 'ADMIN',
    response: Type.Object({ endpoints: Type.Array(Endpoint) }),
    problems: ['CONFLICT', 'USER_ERROR'],
    handler: () =>
      call(async (control) => {
        const { endpoints } = await control.receiverEndpoints();
        return { endpoints: endpoints.map((endpoint) => ({ ...endpoint, url: control.receiverUrl(endpoint.name) })) };
      }),
  });

  route(server, {
    method: 'PUT',
    path: '/api/sandbox/receiver/:name',
    summary: 'Demo only, if all partners belong to the caller: set how an endpoint of the demo receiver responds',
    needs: 'ADMIN',
    params: Type.Object({ name: Type.String({ maxLength: 40 }) }),
    body: Type.Object({ mode: Type.Enum([...receiverModes], { description: modes }) }),
    response: Endpoint,
    problems: ['NOT_FOUND', 'CONFLICT', 'USER_ERROR'],
    handler: async ({ caller, params: { name }, body: { mode } }) => {
      await requireSolePartner(caller, 'The demo receiver');
      return call(async (control) => {
        const known = (await control.receiverEndpoints()).endpoints.find((endpoint) => endpoint.name === name);
        if (!known) throw notFound(`endpoint ${name}`);
        await control.setReceiver(name, mode);
        return { ...known, mode, url: control.receiverUrl(name) };
      });
    },
  });
}
