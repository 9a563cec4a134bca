import { fraction, urlWithScheme, wholeNumber } from '../config/parse.ts';
import { type EventTypeName, eventTypeNames } from '../events/catalogue/catalogue.ts';
import { ApiClient } from './api-client.ts';
import { readOption, runCommand, UsageError } from './command.ts';
import { type Credentials, credentialHelp, credentialOptions, findCredentials } from './credentials.ts';
import { chooseEventType } from './event-type-choice.ts';
import { arrivalJson, arrivalLine } from './listen/arrival-line.ts';
import { type Arrival, LocalReceiver } from './listen/local-receiver.ts';
import { OwnWebhooks } from './listen/own-webhooks.ts';
import { accept, failing, forwarding, type Respond } from './listen/replies.ts';
import { Tally } from './listen/tally.ts';
import { verify } from './listen/verification.ts';

const help = `Usage: waypost listen [options]

Receives deliveries on this machine, verifies them and prints one line for each. Ctrl-C ends it.

  --all               create webhooks to this receiver for every event type (also --register)
  --types A,B         create webhooks for these types only
  --keep              leave the created webhooks in place at the end
  --forward URL       pass verified deliveries on as they are, and answer what that URL answers
  --fail-rate R       answer an error to this part of the deliveries, such as 0.3, to see retries
  --status CODE       the error to answer (500); without --fail-rate, to every delivery
  --json              print one JSON object per line
  --port PORT         port to listen on (4000); 0 takes any free one
${credentialHelp}
Examples:
  waypost listen --all
  waypost listen --types LOCATION_CREATED,LOCATION_STATUS_CHANGED --forward http://localhost:3000/hook
  waypost listen --all --fail-rate 0.3
  waypost listen --all --json | jq .event
`;

const options = {
  all: { type: 'boolean' },
  register: { type: 'boolean' },
  types: { type: 'string' },
  keep: { type: 'boolean' },
  forward: { type: 'string' },
  'fail-rate': { type: 'string' },
  status: { type: 'string' },
  json: { type: 'boolean' },
  port: { type: 'string' },
  ...credentialOptions,
} as const;

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
  say(`Listening on ${receiver.url} until Ctrl-C.`);
  try {
    if (types.length > 0) say(registered(await webhooks.add(receiver.url, types), credentials.url));
    else say('No webhook was created: --all or --types does it, or create one with this address as its pushUrl.');
    await stopped;
  } finally {
    const left = keep ? [] : await webhooks.remove();
    if (left.length > 0) say(`These webhooks could not be removed from ${credentials.url}: ${left.join(', ')}.`);
    await receiver.close();
  }
  say(tally.summary());
}

/** Ctrl-C, or SIGTERM, which also comes when the reader of the output has gone. Asked a second time, the process ends without further ado. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
  });
}

/** For the person, not for the program that reads the events. */
function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

function registered({ created, reused }: { created: number; reused: number }, url: string): string {
  const parts = [
    created > 0 ? `${created} created` : undefined,
    reused > 0 ? `${reused} that were there already` : undefined,
  ];
  return `Webhooks at ${url}: ${parts.filter((part) => part !== undefined).join(', ')}.`;
}

function chosenTypes(listed: string | undefined, all: boolean): readonly EventTypeName[] {
  if (listed === undefined) return all ? eventTypeNames : [];
  if (all) throw new UsageError('Either --types or all of them, not both.');
  const types = listed.split(',').filter((typed) => typed.trim() !== '');
  if (types.length === 0) throw new UsageError('--types is empty: name one type or more, or use --all.');
  return [...new Set(types.map(chooseEventType))];
}

function chosenReply(forward: string | undefined, rate: string | undefined, status: string | undefined): Respond {
  const url = forward === undefined ? undefined : readOption('--forward', forward, urlWithScheme('http', 'https'));
  const usual = url === undefined ? accept : forwarding(url);
  if (rate === undefined && status === undefined) return usual;
  return failing(
    rate === undefined ? 1 : readOption('--fail-rate', rate, fraction),
    readOption('--status', status ?? '500', wholeNumber(200, 599)),
    usual,
  );
}
