import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import { fraction, urlWithScheme, wholeNumber } from '../config/parse.ts';
import { type EventTypeName, eventTypeNames } from '../events/catalogue/catalogue.ts';
import type { WebhookResponse } from '../events/subscriptions/webhook.ts';
import type { CreatedWebhook } from '../events/subscriptions/webhook-routes.ts';
import {
  ApiClient,
  ApiError,
  type Credentials,
  credentialHelp,
  credentialOptions,
  findCredentials,
} from './api-client.ts';
import { CommandError, defineCommand, flag, readOption, UsageError, value } from './command.ts';
import { chooseEventType } from './emit-command.ts';
import { arrivalJson, arrivalLine, attemptText } from './listen/listen-texts.ts';
import {
  type Arrival,
  accept,
  failing,
  forwarding,
  LocalReceiver,
  type Respond,
  shownUrl,
  timeoutSeconds,
  verify,
} from './listen/local-receiver.ts';

const defaultRetries = 3;
const maxRetries = 10;

const help = `Usage: waypost listen [options]

Receives deliveries on this machine, verifies them and prints one line for each. Press Ctrl-C to stop: the webhooks that
it created are deleted.

  --all               create webhooks to this receiver for every event type (also --register)
  --type TYPE         create webhooks for this type only; can be repeated (also --types A,B)
  --filter JSON       only events that match, by the filter of a webhook; needs --all or --type
  --keep              keep the created webhooks on exit
  --forward-to URL    forward verified deliveries with the same body and headers, and print the responses.
                      Any http or https URL, usually of a server on this machine (also --forward)
  --retries N         repeat a forwarded delivery up to N times (default: ${defaultRetries}, at most ${maxRetries}) while the response is
                      not 2xx: after 0.5 s, 1 s, 2 s …, 14 s in total. 410 is not repeated.
                      The last response is returned to Waypost, which logs it and retries by its own schedule
  --fail-rate R       fraction of deliveries to fail, such as 0.3, to test retries
  --status CODE       HTTP status of failed deliveries (default: 500); without --fail-rate, all deliveries fail
  --json              print one JSON object per line
  --port PORT         port to listen on (default: 4000); 0 for any free port
${credentialHelp}
Examples:
  waypost listen --all
  waypost listen --all --forward-to http://localhost:3000/hook
  waypost listen --type LOCATION_CREATED --type LOCATION_STATUS_CHANGED --forward-to http://localhost:3000/hook
  waypost listen --type LISTING_UPDATE --filter '{"field": "updateResult", "equals": "FAILURE"}'
  waypost listen --all --fail-rate 0.3
  waypost listen --all --json | jq .event
`;

const list = { type: 'string', multiple: true } as const;

const options = {
  all: flag,
  register: flag,
  type: list,
  types: list,
  filter: value,
  keep: flag,
  'forward-to': value,
  forward: value,
  retries: value,
  'fail-rate': value,
  status: value,
  json: flag,
  port: value,
  ...credentialOptions,
} as const;

/** Counts deliveries for the summary. */
class Tally {
  #verified = 0;
  #unverified = 0;
  #failed = 0;

  count({ verified, status }: Arrival): void {
    if (!verified) this.#unverified += 1;
    else this.#verified += 1;
    if (verified && status >= 300) this.#failed += 1;
  }

  summary(): string {
    const parts = [`${this.#verified} verified`];
    if (this.#failed > 0) parts.push(`${this.#failed} of them failed`);
    if (this.#unverified > 0) parts.push(`${this.#unverified} not verified`);
    return `${this.#verified + this.#unverified} deliveries received: ${parts.join(', ')}.`;
  }
}

export const listenCommand = defineCommand({ name: 'listen', help, options }, async (given) => {
  const types = chosenTypes([...(given.types ?? []), ...(given.type ?? [])], given.all || given.register || false);
  const filter = chosenFilter(given.filter, types);
  const port = readOption('--port', given.port ?? '4000', wholeNumber(0, 65_535));
  const forward = chosenTarget(given);
  const failures = chosenFailures(given['fail-rate'], given.status);
  const { json = false, keep = false } = given;
  await listen({ types, filter, port, forward, failures, json, keep, ...findCredentials(given, process.env) });
});

interface Listening extends Credentials {
  types: readonly EventTypeName[];
  filter: object | undefined;
  port: number;
  forward: ForwardTarget | undefined;
  failures: { rate: number; status: number } | undefined;
  json: boolean;
  keep: boolean;
}

interface ForwardTarget {
  url: string;
  retries: number;
}

async function listen(listening: Listening): Promise<void> {
  const { types, filter, port, forward, failures, json, keep, ...credentials } = listening;
  const stopped = new AbortController();
  const untilStopped = stopSignal().then(() => stopped.abort());
  const tally = new Tally();
  const webhooks = new OwnWebhooks(new ApiClient(credentials));
  const respond = forward ? printedForwarding(forward, { json, stopped: stopped.signal }) : accept;
  const receiver = await LocalReceiver.start(port, {
    verify: (delivery) => verify(delivery, credentials.privateKey, webhooks.secrets),
    respond: failures ? failing(failures.rate, failures.status, respond) : respond,
    onArrival: (arrival) => {
      tally.count(arrival);
      // The attempts of a forwarded delivery are printed one by one.
      if (json) process.stdout.write(arrivalJson(arrival));
      else if (!arrival.attempts) process.stdout.write(arrivalLine(arrival));
    },
  });
  say(`Listening on ${receiver.url} (press Ctrl-C to stop).`);
  try {
    if (forward) requireOther(forward.url, receiver.url);
    if (forward) say(`Forwarding to ${shownUrl(forward.url)}.`);
    if (types.length > 0)
      say(
        registered(
          await webhooks.add(receiver.url, types, { ...(filter && { filter }), timeoutSeconds }),
          credentials.url,
        ),
      );
    else say('No webhook was created. Use --all or --type, or create a webhook with this URL as its pushUrl.');
    await untilStopped;
  } finally {
    const left = keep ? [] : await webhooks.remove();
    if (left.length > 0) say(`These webhooks could not be deleted at ${credentials.url}: ${left.join(', ')}.`);
    await receiver.close();
  }
  say(tally.summary());
}

function printedForwarding(
  { url, retries }: ForwardTarget,
  { json, stopped }: { json: boolean; stopped: AbortSignal },
): Respond {
  return forwarding(url, {
    retries,
    stopped,
    onAttempt: (delivery, attempts, retryInMs) => {
      if (!json) process.stdout.write(attemptText(delivery, attempts, { maxAttempts: retries + 1, retryInMs }));
    },
  });
}

/** A delivery that is forwarded to its own receiver would be forwarded without end. */
function requireOther(target: string, receiver: string): void {
  const { hostname, port } = new URL(target);
  if (port !== new URL(receiver).port || !['localhost', '127.0.0.1'].includes(hostname)) return;
  throw new UsageError(`--forward-to is the URL of this receiver. Set the URL of your server, or another --port.`);
}

/** Resolves on Ctrl-C or SIGTERM; a closed output pipe raises SIGTERM. A second signal exits immediately. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
  });
}

/** Messages go to stderr; stdout is for events. */
function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

function registered({ created, reused }: { created: number; reused: number }, url: string): string {
  const parts = [created > 0 ? `${created} created` : undefined, reused > 0 ? `${reused} existing` : undefined];
  return `Webhooks at ${url}: ${parts.filter((part) => part !== undefined).join(', ')}.`;
}

function chosenTypes(listed: readonly string[], all: boolean): readonly EventTypeName[] {
  if (listed.length === 0) return all ? eventTypeNames : [];
  if (all) throw new UsageError('--types cannot be combined with --all.');
  const types = listed.flatMap((typed) => typed.split(',')).filter((typed) => typed.trim() !== '');
  if (types.length === 0) throw new UsageError('--types is empty. Set at least one event type, or use --all.');
  return [...new Set(types.map(chooseEventType))];
}

/** The server checks the conditions. */
function chosenFilter(text: string | undefined, types: readonly EventTypeName[]): object | undefined {
  if (text === undefined) return undefined;
  if (types.length === 0) throw new UsageError('--filter needs --all or --type.');
  try {
    const filter = JSON.parse(text);
    if (typeof filter === 'object' && filter !== null && !Array.isArray(filter)) return filter;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    '--filter must be a JSON object, such as \'{"field": "updateResult", "equals": "FAILURE"}\'. ' +
      'Put it in single quotes.',
  );
}

function chosenTarget(given: { 'forward-to'?: string; forward?: string; retries?: string }): ForwardTarget | undefined {
  const { 'forward-to': long, forward: short, retries } = given;
  if (long !== undefined && short !== undefined) throw new UsageError('--forward is the same as --forward-to.');
  const url = long ?? short;
  if (url === undefined) {
    if (retries !== undefined) throw new UsageError('--retries needs --forward-to.');
    return undefined;
  }
  return {
    url: readOption(long === undefined ? '--forward' : '--forward-to', url, urlWithScheme('http', 'https')),
    retries: readOption('--retries', retries ?? String(defaultRetries), wholeNumber(0, maxRetries)),
  };
}

function chosenFailures(rate: string | undefined, status: string | undefined): Listening['failures'] {
  if (rate === undefined && status === undefined) return undefined;
  return {
    rate: readOption('--fail-rate', rate, fraction) ?? 1,
    status: readOption('--status', status ?? '500', wholeNumber(200, 599)),
  };
}

const path = '/api/sales-partners/webhooks';

type Webhook = Static<typeof WebhookResponse>;

/** Settings of a new webhook, besides its type and URL. */
interface WebhookSettings {
  filter?: object;
  timeoutSeconds: number;
}

/** The webhooks of this receiver. */
export class OwnWebhooks {
  readonly #api: ApiClient;
  readonly #secrets = new Map<string, string>();
  #created: number[] = [];

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Secrets by event type; secrets of existing webhooks cannot be read. */
  get secrets(): ReadonlyMap<string, string> {
    return this.#secrets;
  }

  async add(
    pushUrl: string,
    types: readonly EventTypeName[],
    settings: WebhookSettings,
  ): Promise<{ created: number; reused: number }> {
    const existing = await this.#api.call<Webhook[]>('GET', `${path}?type=${types.join(',')}`);
    for (const type of types) {
      const known = existing.find((webhook) => webhook.type === type && webhook.pushUrl === pushUrl);
      await (known ? this.#reuse(known, settings.filter) : this.#create({ pushUrl, type, ...settings }));
    }
    return { created: this.#created.length, reused: types.length - this.#created.length };
  }

  /** Deletes the created webhooks. Returns the ids of those that could not be deleted. */
  async remove(): Promise<number[]> {
    const left: number[] = [];
    for (const id of this.#created) {
      await this.#api.call('DELETE', `${path}/${id}`).catch((error) => {
        if (!(error instanceof ApiError && error.code === 404)) left.push(id);
      });
    }
    this.#created = [];
    return left;
  }

  async #create(settings: WebhookSettings & Pick<Webhook, 'pushUrl' | 'type'>): Promise<void> {
    const webhook = { ...settings, description: 'waypost listen' };
    const { id, secret } = await this.#api.call<Static<typeof CreatedWebhook>>('POST', path, webhook);
    this.#created.push(id);
    this.#secrets.set(settings.type, secret);
  }

  /** Enabling the webhook also ends a pause after failures. */
  async #reuse({ id, type, filter: current }: Webhook, filter: object | undefined): Promise<void> {
    if (!isDeepStrictEqual(filter, current)) {
      const difference = filter ? 'with another filter' : 'with a filter';
      throw new CommandError(
        `Webhook ${id} already sends ${type} to this URL, ${difference}. Delete it, or set its --filter or another --port.`,
      );
    }
    await this.#api.call('PATCH', `${path}/${id}`, { enabled: true });
  }
}
