import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type ControlCall, type ControlRoute, choiceOf } from '../control/control-call.ts';
import { RequestError } from '../http/request-error.ts';
import type { Network } from '../state/network.ts';

/** Endpoints for the webhooks of a demo, below /demo-receiver. */
export const receiverPath = 'demo-receiver';

const modes = ['accept', 'fail', 'slow', 'down'] as const;
type Mode = (typeof modes)[number];

const slowMs = 4_000;
const factName = (name: string) => `receiver ${name}`;

const modeOf = (network: Network, name: string) => network.fact(factName(name)) as Mode | undefined;

/** Responds to deliveries. Request counts are kept in memory. */
export class DemoReceiver {
  readonly #network: Network;
  readonly #requests = new Map<string, number>();

  constructor(network: Network) {
    this.#network = network;
  }

  requests = (name: string): number => this.#requests.get(name) ?? 0;

  async respond(name: string, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode = modeOf(this.#network, name);
    if (!mode) throw new RequestError(404, `The demo receiver has no endpoint ${name}.`);
    this.#requests.set(name, this.requests(name) + 1);
    if (mode === 'down') {
      response.socket?.resetAndDestroy();
      return;
    }
    for await (const _ of message.resume());
    if (mode === 'slow') await pause(slowMs);
    const [status, text] =
      mode === 'fail' ? [500, 'The demo receiver is set to fail.'] : [200, 'The demo receiver accepted the event.'];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ endpoint: name, message: text }));
  }
}

export const receiverControls: readonly ControlRoute[] = [
  { method: 'GET', path: '/receiver', handle: endpoints },
  { method: 'PUT', path: '/receiver/:name', handle: setMode },
];

function endpoints({ network, receiver }: ControlCall) {
  const rows = network.sql.all<{ name: string; mode: string }>`
    select substr(name, 10) as name, value as mode from facts where name like 'receiver %' order by rowid`;
  return { endpoints: rows.map(({ name, mode }) => ({ name, mode, requests: receiver.requests(name) })) };
}

/** Adds the endpoint if needed. */
function setMode(call: ControlCall) {
  const name = call.params.name ?? '';
  const mode = choiceOf(call, 'mode', modes);
  if (!mode) throw new RequestError(400, `mode is required: one of ${modes.join(', ')}.`);
  if (!/^[a-z][a-z-]{0,39}$/.test(name))
    throw new RequestError(400, 'name must consist of the letters a to z and hyphens.');
  call.network.setFact(factName(name), mode);
  return { name, mode };
}
