import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const callLimitMs = 60_000;
const slowMs = 2000;

type Mode = 'accept' | 'fail' | 'slow';

/** Receives the events of the load and keeps their ids. */
export class Ledger {
  mode: Mode = 'accept';
  deliveries = 0;
  readonly received = new Set<number>();
  readonly #server: Server = createServer(async (request, response) => {
    const { event } = JSON.parse(await text(request));
    await this.#respond(response, event.id);
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #respond(response: ServerResponse, id: number): Promise<void> {
    this.deliveries++;
    if (this.mode === 'fail') {
      response.writeHead(500).end();
      return;
    }
    if (this.mode === 'slow') await pause(slowMs);
    this.received.add(id);
    response.writeHead(200).end();
  }
}

/** Clients that emit events, change locations and read lists, without a retry. */
export class Load {
  readonly #baseUrl: string;
  readonly #privateKey: string;
  readonly #stopping = new AbortController();
  #clients: Promise<void>[] = [];
  readonly acknowledged = new Set<number>();
  calls = 0;
  /** Calls without a 2xx, by status or error. */
  readonly failures = new Map<string, number>();

  constructor(baseUrl: string, privateKey: string) {
    this.#baseUrl = baseUrl;
    this.#privateKey = privateKey;
  }

  async start(type: string): Promise<void> {
    const { locations } = await this.#call('GET', '/api/locations?max=50');
    const ids = (locations as { id: number }[]).map(({ id }) => id);
    const someId = () => ids[Math.floor(Math.random() * ids.length)];
    const reads = [
      () => '/api/locations?max=20',
      () => `/api/locations/${someId()}`,
      () => '/api/datapoints?max=20',
      () => '/api/events?max=20',
      () => '/api/dashboard/customer-feedback',
      () => '/api/listings?max=20',
    ];
    let turn = 0;
    this.#clients = [
      this.#repeat(200, async () => {
        const { eventIds } = await this.#call('POST', `/api/event-types/${type}/emit`, { count: 10 });
        for (const id of eventIds as number[]) this.acknowledged.add(id);
      }),
      this.#repeat(2000, () =>
        this.#call('PATCH', `/api/locations/${someId()}`, { descriptionShort: `Changed at ${Date.now()}.` }),
      ),
      this.#repeat(100, () => this.#call('GET', reads[turn++ % reads.length]?.() ?? '')),
    ];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
  }

  missing(received: ReadonlySet<number>): number {
    return this.acknowledged.difference(received).size;
  }

  async createWebhook(pushUrl: string, type: string): Promise<number> {
    return (await this.#call('POST', '/api/sales-partners/webhooks', { pushUrl, type })).id as number;
  }

  async demoState(): Promise<string> {
    return (await this.#call('GET', '/api/demo-data')).state as string;
  }

  async #repeat(everyMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await work().catch(({ message, cause }: Error & { cause?: { code?: string } }) => {
        const reason = cause?.code ?? message;
        this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
      });
      await pause(everyMs);
    }
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    this.calls++;
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: { privateKey: this.#privateKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callLimitMs),
    });
    const content = await response.text();
    if (!response.ok) throw new Error(String(response.status));
    return JSON.parse(content).response;
  }
}
