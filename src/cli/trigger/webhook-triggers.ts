import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addBusiness } from './business-triggers.ts';
import { type Trigger, type TriggerRun, temporaryName } from './trigger.ts';

interface TemporaryWebhook {
  id: number;
  /** Sets the status of later responses. */
  respondWith(status: number): void;
}

/** A webhook to a receiver on this machine, which responds with the status. Both end with the run. */
async function addWebhook(run: TriggerRun, status: number): Promise<TemporaryWebhook> {
  let current = status;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(current, { connection: 'close' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  run.restoreAtEnd('Receiver stopped.', async () => server.close());
  const path = '/api/sales-partners/webhooks';
  const { id } = await run.api.call<{ id: number }>('POST', path, {
    pushUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    type: 'BUSINESS_CREATED',
    retrySchedule: [1, 1],
  });
  run.say(`Webhook ${id} created.`);
  run.restoreAtEnd(`Webhook ${id} deleted.`, () => run.api.call('DELETE', `${path}/${id}`));
  return {
    id,
    respondWith: (next) => {
      current = next;
    },
  };
}

const sendEvent = (run: TriggerRun) => addBusiness(run, temporaryName());

export const webhookTriggers = {
  WEBHOOK_FAILING: {
    change: 'creates a webhook whose receiver responds with 500, sends an event and deletes the webhook',
    run: async (run) => {
      const { id } = await addWebhook(run, 500);
      return run.eventOf(
        () => sendEvent(run),
        ({ webhook }) => webhook === id,
      );
    },
  },
  WEBHOOK_RECOVERED: {
    change: 'the same, but the receiver responds with 200 after the failures',
    run: async (run) => {
      const webhook = await addWebhook(run, 500);
      const isOurs = (event: Record<string, unknown>) => event.webhook === webhook.id;
      await run.eventOf(() => sendEvent(run), isOurs, 'WEBHOOK_FAILING');
      webhook.respondWith(200);
      return run.eventOf(() => sendEvent(run), isOurs);
    },
  },
  WEBHOOK_DISABLED: {
    change: 'creates a webhook whose receiver responds with 410, sends an event and deletes the webhook',
    run: async (run) => {
      const { id } = await addWebhook(run, 410);
      return run.eventOf(
        () => sendEvent(run),
        ({ webhook }) => webhook === id,
      );
    },
  },
} satisfies Record<string, Trigger>;
