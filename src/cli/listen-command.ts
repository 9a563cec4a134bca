import { fraction, urlWithScheme, wholeNumber } from '../config/parse.ts';
import { type EventTypeName, eventTypeNames } from '../events/catalogue/catalogue.ts';
import {
  ApiClient,
  ApiError,
  type Credentials,
  credentialHelp,
  credentialOptions,
  findCredentials,
} from './api-client.ts';
import { flag, readOption, runCommand, UsageError, value } from './command.ts';
import { chooseEventType } from './event-type-choice.ts';
import { arrivalJson, arrivalLine } from './listen/arrival-line.ts';
import {
  type Arrival,
  accept,
  failing,
  forwarding,
  LocalReceiver,
  type Respond,
  verify,
} from './listen/local-receiver.ts';

const help = `Usage: waypost listen [options]

Receives deliveries on this machine, verifies them and prints one line for each. Press Ctrl-C to stop.

  --all               create webhooks to this receiver for every event type (also --register)
  --types A,B         create webhooks for these types only
  --keep              keep the created webhooks on exit
  --forward URL       forward verified deliveries unchanged, and return the response of that URL
  --fail-rate R       fraction of deliveries to fail, such as 0.3, to test retries
  --status CODE       HTTP status of failed deliveries (default: 500); without --fail-rate, all deliveries fail
  --json              print one JSON object per line
  --port PORT         port to listen on (default: 4000); 0 for any free port
${credentialHelp}
Examples:
  waypost listen --all
  waypost listen --types LOCATION_CREATED,LOCATION_STATUS_CHANGED --forward http://localhost:3000/hook
  waypost listen --all --fail-rate 0.3
  waypost listen --all --json | jq .event
`;

const options = {
  all: flag,
  register: flag,
  types: value,
  keep: flag,
  forward: value,
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

export async function listenCommand(args: string[]): Promise<number> {
  return runCommand({ name: 'listen', help, options }, args, async (given) => {
    const types = chosenTypes(given.types, given.all || given.register || false);
    const port = readOption('--port', given.port ?? '4000', wholeNumber(0, 65_535));
    const respond = chosenReply(given.forward, given['fail-rate'], given.status);
    const print = given.json ? arrivalJson : arrivalLine;
    await listen({ types, port, respond, print, keep: given.keep ?? false, ...findCredentials(given, process.env) });
  });
}

interface Listening extends Credentials {
  types: readonly EventTypeName[];
  port: number;
  respond: Respond;
  print(arrival: Arrival): string;
  keep: boolean;
}

async function listen({ types, port, respond, print, keep, ...credentials }: Listening): Promise<void> {
  const stopped = untilStopped();
  const tally = new Tally();
  const webhooks = new OwnWebhooks(new ApiClient(credentials));
  const receiver = await LocalReceiver.start(port, {
    verify: (delivery) => verify(delivery, credentials.privateKey, webhooks.secrets),
    respond,
    onArrival: (arrival) => {
      tally.count(arrival);
      process.stdout.write(print(arrival));
    },
  });
  say(`Listening on ${receiver.url} (press Ctrl-C to stop).`);
  try {
    if (types.length > 0) say(registered(await webhooks.add(receiver.url, types), credentials.url));
    else say('No webhook was created. Use --all or --types, or create a webhook with this URL as its pushUrl.');
    await stopped;
  } finally {
    const left = keep ? [] : await webhooks.remove();
    if (left.length > 0) say(`These webhooks could not be deleted at ${credentials.url}: ${left.join(', ')}.`);
    await receiver.close();
  }
  say(tally.summary());
}

/** Resolves on Ctrl-C or SIGTERM; a closed output pipe raises SIGTERM. A second signal exits immediately. */
function untilStopped(): Promise<void> {
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

function chosenTypes(listed: string | undefined, all: boolean): readonly EventTypeName[] {
  if (listed === undefined) return all ? eventTypeNames : [];
  if (all) throw new UsageError('--types cannot be combined with --all.');
  const types = listed.split(',').filter((typed) => typed.trim() !== '');
  if (types.length === 0) throw new UsageError('--types is empty. Set at least one event type, or use --all.');
  return [...new Set(types.map(chooseEventType))];
}

function chosenReply(forward: string | undefined, rate: string | undefined, status: string | undefined): Respond {
  const url = forward === undefined ? undefined : readOption('--forward', forward, urlWithScheme('http', 'https'));
  const defaultReply = url === undefined ? accept : forwarding(url);
  if (rate === undefined && status === undefined) return defaultReply;
  return failing(
    rate === undefined ? 1 : readOption('--fail-rate', rate, fraction),
    readOption('--status', status ?? '500', wholeNumber(200, 599)),
    defaultReply,
  );
}

const path = '/api/sales-partners/webhooks';

interface Webhook {
  id: number;
  type: EventTypeName;
  pushUrl: string;
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

  async add(pushUrl: string, types: readonly EventTypeName[]): Promise<{ created: number; reused: number }> {
    const existing = await this.#api.call<Webhook[]>('GET', `${path}?type=${types.join(',')}`);
    for (const type of types) {
      const known = existing.find((webhook) => webhook.type === type && webhook.pushUrl === pushUrl);
      await (known ? this.#reuse(known) : this.#create(pushUrl, type));
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

  async #create(pushUrl: string, type: EventTypeName): Promise<void> {
    const webhook = { pushUrl, type, description: 'waypost listen' };
    const { id, secret } = await this.#api.call<Webhook & { secret: string }>('POST', path, webhook);
    this.#created.push(id);
    this.#secrets.set(type, secret);
  }

  /** Enabling the webhook also ends a pause after failures. */
  async #reuse({ id }: Webhook): Promise<void> {
    await this.#api.call('PATCH', `${path}/${id}`, { enabled: true });
  }
}
