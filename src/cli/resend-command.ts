import { setTimeout as pause } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { DeliveryDetailsResponse } from '../events/log/delivery-routes.ts';
import type { EventDetailsResponse } from '../events/log/event.ts';
import type { WebhookResponse } from '../events/subscriptions/webhook.ts';
import { ApiClient, credentialHelp, credentialOptions, findCredentials } from './api-client.ts';
import { anyId, CommandError, defineCommand, readOption, required } from './command.ts';

const help = `Usage: waypost resend EVENT [options]

Sends a recorded event again, by its id, and prints the response of each webhook. The body and the event id stay the
same, so that a receiver can recognize the duplicate. A running "waypost listen" receives it through its webhooks.

By default, the event is sent to every webhook that has received it, and to every other enabled webhook of its type,
such as one that was created later.

  --webhook ID        only to this webhook; can be repeated
${credentialHelp}
Exit code: 0 if the event was queued for at least one webhook and for each --webhook, otherwise 1.

Examples:
  waypost resend 6412
  waypost resend 6412 --webhook 17
`;

const options = { webhook: { type: 'string', multiple: true }, ...credentialOptions } as const;

const path = '/api/sales-partners/webhooks';
/** A worker usually sends within a second; the receiver has 15 s to respond. */
const timeoutMs = 20_000;
const pollMs = 100;

type EventDetails = Static<typeof EventDetailsResponse>;
type Webhook = Static<typeof WebhookResponse>;
type Delivery = Static<typeof DeliveryDetailsResponse>;

/** A delivery that was queued, with the number of its attempts before. */
interface Queued {
  webhookId: number;
  pushUrl: string;
  attempts: number;
}

export const resendCommand = defineCommand({ name: 'resend', help, options, operands: 1 }, async (given, [typed]) => {
  const text = required(typed, 'The event id is missing. "waypost listen" prints the id of each event.');
  const id = readOption('EVENT', text, anyId);
  const chosen = (given.webhook ?? []).map((webhook) => readOption('--webhook', webhook, anyId));
  await resend(new ApiClient(findCredentials(given, process.env)), id, [...new Set(chosen)]);
});

async function resend(api: ApiClient, id: number, chosen: readonly number[]): Promise<void> {
  const event = await findEvent(api, id);
  const webhookIds = chosen.length > 0 ? chosen : await webhooksFor(api, event);
  if (webhookIds.length === 0) {
    throw new CommandError(
      `No enabled webhook is subscribed to ${event.type}. Start "waypost listen --type ${event.type}" and try again.`,
    );
  }
  let [queued, refused] = [0, 0];
  for (const webhookId of webhookIds) {
    try {
      const delivery = await send(api, event, webhookId);
      queued += 1;
      process.stdout.write(`${await resultOf(api, event.id, delivery)}\n`);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      refused += 1;
      process.stderr.write(`Not sent to webhook ${webhookId}: ${error.message}\n`);
    }
  }
  if (queued === 0 || (chosen.length > 0 && refused > 0)) throw new CommandError(`Event ${id} was not sent.`);
}

async function findEvent(api: ApiClient, id: number): Promise<EventDetails> {
  const event = await api.find<EventDetails>(`/api/events/${id}`);
  if (event) return event;
  throw new CommandError(
    `There is no event ${id} of this partner. It was never recorded, or it is older than the retention period ` +
      '(WAYPOST_RETENTION_DAYS) and was deleted.',
  );
}

/** The webhooks that have a delivery of the event, and the enabled ones of its type. */
async function webhooksFor(api: ApiClient, { type, deliveries }: EventDetails): Promise<number[]> {
  const subscribed = await api.call<Webhook[]>('GET', `${path}?type=${type}`);
  const received = deliveries.filter(({ deliveryId }) => deliveryId !== undefined).map(({ webhookId }) => webhookId);
  const enabled = subscribed.filter((webhook) => webhook.enabled).map((webhook) => webhook.id);
  return [...new Set([...received, ...enabled])];
}

async function send(api: ApiClient, event: EventDetails, webhookId: number): Promise<Queued> {
  const known = event.deliveries.find((delivery) => delivery.webhookId === webhookId);
  if (known?.deliveryId !== undefined) {
    // Not those of the event that was read before: a scheduled retry in between is not the result.
    const { attempts } = await api.call<Delivery>('POST', `/api/deliveries/${known.deliveryId}/retry`);
    return { webhookId, pushUrl: known.pushUrl, attempts };
  }
  const { type, pushUrl } = await api.call<Webhook>('GET', `${path}/${webhookId}`);
  if (type !== event.type) {
    throw new CommandError(`The webhook is subscribed to ${type}, and event ${event.id} is a ${event.type}.`);
  }
  await replaySkipped(api, event, webhookId, known?.message);
  return { webhookId, pushUrl, attempts: 0 };
}

/** A replay selects events by time: it is started only if it sends this event and no other. */
async function replaySkipped(
  api: ApiClient,
  { id, recordedAt }: EventDetails,
  webhookId: number,
  skipped: string | undefined,
): Promise<void> {
  const replay = { since: recordedAt, until: recordedAt, states: ['SKIPPED'] };
  const { count } = await api.call<{ count: number }>('POST', `${path}/${webhookId}/replay`, {
    ...replay,
    dryRun: true,
  });
  if (count === 0) {
    throw new CommandError(
      `${skipped ?? 'The webhook did not receive it.'} Its present settings exclude the event too.`,
    );
  }
  if (count > 1) {
    throw new CommandError(
      `The webhook has not received the event, and a replay would send ${count} events: they were recorded in the same ` +
        `millisecond as event ${id}. Use POST ${path}/${webhookId}/replay with since and until ${recordedAt} and states SKIPPED.`,
    );
  }
  await api.call('POST', `${path}/${webhookId}/replay`, replay);
}

/** Waits for the next attempt. */
async function resultOf(api: ApiClient, eventId: number, { webhookId, pushUrl, attempts }: Queued): Promise<string> {
  const target = `webhook ${webhookId} ${pushUrl}`;
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    // A replay creates the delivery with a job.
    const delivery = await api.find<Delivery>(`/api/deliveries/${eventId}-${webhookId}`);
    if (delivery?.lastAttempt && delivery.attempts > attempts) return `${target} → ${attemptText(delivery)}`;
    await pause(pollMs);
  }
  return `${target} → queued, not sent within ${timeoutMs / 1000} s. Check that a worker is running.`;
}

function attemptText({ state, nextTry, lastAttempt }: Delivery): string {
  const { statusCode, error, durationMs = 0 } = lastAttempt ?? {};
  const next = nextTry === undefined ? '' : `, next attempt at ${nextTry}`;
  return `${statusCode ?? error} in ${Math.round(durationMs)} ms: ${state.toLowerCase()}${next}`;
}
