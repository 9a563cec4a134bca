import { queueCredentials, targetQueue, withoutCredentials } from '../../src/events/transport/queues/queue-url.ts';

/** A request as a worker sends it to the queue of a push URL. */
export function queueRequest(
  url: string,
  {
    id = '1',
    type = 'LOCATION_CREATED',
    body = '{"event":{}}',
    group = 'locations/1',
    timeoutMs = undefined as number | undefined,
  } = {},
) {
  const queue = targetQueue({
    pushUrl: withoutCredentials(url),
    type,
    partnerId: 1,
    credentials: queueCredentials(url),
    identity: undefined,
  });
  if (!queue) throw new Error(`${url} names no queue.`);
  const headers = { 'content-type': 'application/json', 'webhook-id': id };
  return { url: withoutCredentials(url), headers, body, queue, group, timeoutMs };
}
