import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound } from '../../../problems.ts';
import { receiverModes } from '../../directories/index.ts';
import { requireSolePartner } from './require-sole-partner.ts';
import { withSandbox } from './with-sandbox.ts';

const modes = 'accept: 200 · fail: 500 · slow: 200 after four seconds · down: the connection is closed';

const Endpoint = Type.Object({
  name: Type.String({ examples: ['crm'] }),
  url: Type.String({ examples: ['http://127.0.0.1:39211/demo-receiver/crm'] }),
  mode: Type.Enum([...receiverModes], { description: modes }),
  requests: Type.Integer({ description: 'Deliveries received since the sandbox started' }),
});

/** Endpoints of the demo receiver, which receives the demo webhooks. */
export function receiverRoutes(server: FastifyInstance, { config, database, sandbox }: Services): void {
  if (!config.demo) return;

  route(server, {
    method: 'GET',
    path: '/api/sandbox/receiver',
    summary: 'Demo only: list the endpoints of the demo receiver and their modes',
    needs: 'ADMIN',
    response: Type.Object({ endpoints: Type.Array(Endpoint) }),
    problems: ['CONFLICT', 'USER_ERROR'],
    handler: () =>
      withSandbox(sandbox, async (control) => {
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
      await requireSolePartner(database.pool, caller, 'The demo receiver');
      return withSandbox(sandbox, async (control) => {
        const known = (await control.receiverEndpoints()).endpoints.find((endpoint) => endpoint.name === name);
        if (!known) throw notFound(`endpoint ${name}`);
        await control.setReceiver(name, mode);
        return { ...known, mode, url: control.receiverUrl(name) };
      });
    },
  });
}
