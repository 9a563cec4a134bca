import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import type { Config } from '../../src/config.ts';
import { auditDisabled } from '../../src/events/alerts/review-alerts.ts';
import { DeliveryWorker } from '../../src/events/delivery/worker.ts';
import { Sender } from '../../src/events/transport/sender.ts';
import type { Services } from '../../src/http/services.ts';
import { DeliveryMetrics } from '../../src/telemetry/metrics.ts';

export interface ReceivedRequest {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every type
  event: any;
}

/** A status, a full response, or a reset connection. */
export type Reply = number | { status: number; headers?: Record<string, string>; body?: string | Buffer } | 'reset';

/** A real receiver on loopback. `respond` can be changed at any time; a pending promise keeps the request open. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  respond: (received: ReceivedRequest) => Reply | Promise<Reply>;
  /** Open requests: current and maximum number. */
  open = 0;
  maxOpen = 0;
  readonly #server: http.Server;

  constructor(respond: Receiver['respond']) {
    this.respond = respond;
    this.#server = http.createServer((request, response) => this.#receive(request, response));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Ids of the received events, in order of arrival. */
  ids(path = '/hook'): number[] {
    return this.requests.filter((received) => received.path === path).map(({ event }) => event.id);
  }

  /** Open connections, also idle ones. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.open++;
    this.maxOpen = Math.max(this.maxOpen, this.open);
    response.once('close', () => this.open--);
    const body = await text(request).catch(() => undefined);
    // The sender was killed, or the port had belonged to a server of another test.
    if (body === undefined || (body === '' && !request.headers['webhook-id']))
      return void response.writeHead(400).end();
    const received = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body).event };
    this.requests.push(received);
    const reply = await this.respond(received);
    if (reply === 'reset') request.socket.resetAndDestroy();
    else if (typeof reply === 'number') response.writeHead(reply).end();
    else response.writeHead(reply.status, reply.headers).end(reply.body);
  }
}

export async function startReceiver(respond: Receiver['respond'] = () => 200): Promise<Receiver> {
  const receiver = new Receiver(respond);
  await receiver.listen();
  return receiver;
}

/** Starts a worker as the service does, with shorter intervals. Its timeout is long: receivers of tests hold requests. */
export function startWorker(
  { config: settings, database, sealer, log }: Services,
  changes: Partial<Config> = {},
  userAgent = 'Waypost/test',
): { stop(): Promise<void> } {
  const config = { ...settings, retryJitter: 0, pollMs: 50, deliveryTimeoutMs: 60_000, ...changes };
  const sender = new Sender({
    policy: { allow: config.allowTargets, requireHttps: config.requireHttps },
    timeoutMs: config.deliveryTimeoutMs,
    connectionsPerHost: config.hostConcurrency,
  });
  const metrics = new DeliveryMetrics(new Registry());
  const worker = new DeliveryWorker({ config, database, sealer, sender, metrics, log, userAgent, auditDisabled });
  worker.start();
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= worker.stop().then(() => sender.close());
      return stopped;
    },
  };
}
