import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { about, type RecordedEvent, type Trigger, type TriggerRun, temporaryName } from './trigger.ts';

/** A business that is deleted at the end. */
export async function addBusiness(run: TriggerRun, name: string, settings: object = {}): Promise<number> {
  const { id } = await run.api.call<{ id: number }>('POST', '/api/businesses', { name, ...settings });
  run.say(`Business ${id} created.`);
  run.restoreAtEnd(`Business ${id} deleted.`, () => run.api.call('DELETE', `/api/businesses/${id}`));
  return id;
}

/** Two active plans; missing ones are created. They cannot be deleted, because deleted businesses refer to them. */
async function twoPlans(run: TriggerRun): Promise<[number, number]> {
  const path = '/api/product-plans';
  const { productPlans } = await run.api.call<{ productPlans: { id: number }[] }>('GET', `${path}?status=ACTIVE&max=2`);
  const ids = productPlans.map(({ id }) => id);
  while (ids.length < 2) {
    const plan = { name: temporaryName(), price: 100 * ids.length, currency: 'EUR', status: 'ACTIVE' };
    const { id } = await run.api.call<{ id: number }>('POST', path, plan);
    run.restoreAtEnd(`Product plan ${id}, which was created, is INACTIVE and stays.`, () =>
      run.api.call('PATCH', `${path}/${id}`, { status: 'INACTIVE' }),
    );
    ids.push(id);
  }
  return ids as [number, number];
}

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

/** Sends an event to a webhook whose receiver responds with the status. */
async function sendToWebhook(run: TriggerRun, status: number): Promise<RecordedEvent> {
  const { id } = await addWebhook(run, status);
  return run.eventOf(() => sendEvent(run), about('webhook', id));
}

export const businessTriggers = {
  BUSINESS_CREATED: {
    change: 'creates a business and deletes it',
    run: (run) => {
      const name = temporaryName();
      return run.eventOf(() => addBusiness(run, name), about('comment', name));
    },
  },
  BUSINESS_PRODUCT_PLAN_CHANGED: {
    change: 'changes the plan of a business that it creates and deletes',
    run: async (run) => {
      const [first, second] = await twoPlans(run);
      const id = await addBusiness(run, temporaryName(), { productPlanId: first });
      const change = () => run.api.call('PATCH', `/api/businesses/${id}`, { productPlanId: second });
      return run.eventOf(change, about('business', id));
    },
  },
  WEBHOOK_FAILING: {
    change: 'creates a webhook whose receiver responds with 500, sends an event and deletes the webhook',
    run: (run) => sendToWebhook(run, 500),
  },
  WEBHOOK_RECOVERED: {
    change: 'the same, but the receiver responds with 200 after the failures',
    run: async (run) => {
      const webhook = await addWebhook(run, 500);
      const isOurs = about('webhook', webhook.id);
      await run.eventOf(() => sendEvent(run), isOurs, 'WEBHOOK_FAILING');
      webhook.respondWith(200);
      return run.eventOf(() => sendEvent(run), isOurs);
    },
  },
  WEBHOOK_DISABLED: {
    change: 'creates a webhook whose receiver responds with 410, sends an event and deletes the webhook',
    run: (run) => sendToWebhook(run, 410),
  },
} satisfies Record<string, Trigger>;
