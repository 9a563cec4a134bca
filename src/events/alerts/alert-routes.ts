import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { Id } from '../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../http/pagination.ts';
import { recordResponse } from '../../http/record-response.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { alertCauses, alertText } from './alert.ts';
import { countAlerts, listAlerts } from './alert-store.ts';

export const AlertResponse = Type.Object({
  id: Type.Integer(),
  webhookId: Type.Integer(),
  type: Type.String({ description: 'Event type of the webhook' }),
  pushUrl: Type.String(),
  cause: Type.Enum([...alertCauses]),
  message: Type.String(),
  since: Type.String(),
  until: Type.Optional(Type.String({ description: 'When the alert was over; absent while it is open' })),
  deadline: Type.Optional(
    Type.String({
      description:
        'When the webhook is disabled if it keeps failing, or the previous secret or client certificate expires',
    }),
  ),
});

type ListedAlert = Awaited<ReturnType<typeof listAlerts>>[number];

const alertResponse = (alert: ListedAlert): Static<typeof AlertResponse> =>
  recordResponse(AlertResponse, {
    ...alert,
    message: alertText(alert),
    since: alert.openedAt,
    until: alert.overAt,
  });

export function alertRoutes(server: FastifyInstance, { config, database }: Services): void {
  const { offset, max } = pageQuery;

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/alerts',
    summary: 'List alerts about the webhooks of a partner, newest first',
    needs: 'ADMIN',
    query: Type.Object({
      offset,
      max,
      state: Type.Optional(Type.Enum(['OPEN', 'OVER'])),
      webhookId: Type.Optional(Id),
    }),
    response: Type.Object({
      ...pageSchema('alerts', AlertResponse).properties,
      emailEnabled: Type.Boolean({ description: 'Whether this server can send e-mails' }),
    }),
    handler: async ({ caller, query }) => {
      const filter = { partnerId: caller.partnerId, ...query };
      const [count, alerts] = await Promise.all([
        countAlerts(database.pool, filter),
        listAlerts(database.pool, filter, query),
      ]);
      const emailEnabled = config.smtpUrl !== undefined;
      return { ...pageOf('alerts', query, count, alerts.map(alertResponse)), emailEnabled };
    },
  });
}
