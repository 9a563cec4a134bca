import { HttpTransport } from './http-transport.ts';
import type { Outcome } from './outcome.ts';
import { QueueTransport } from './queues/queue-transport.ts';
import type { PushRequest, QueueRequest, Transport, TransportOptions } from './transport.ts';

/** Sends each delivery by the transport of its push URL. */
export class Sender implements Transport {
  readonly #http: HttpTransport;
  readonly #queues: QueueTransport;

  constructor(options: TransportOptions) {
    this.#http = new HttpTransport(options);
    this.#queues = new QueueTransport(options);
  }

  send(request: PushRequest): Promise<Outcome> {
    return isForQueue(request) ? this.#queues.send(request) : this.#http.send(request);
  }

  async abort(): Promise<void> {
    await Promise.all([this.#http.abort(), this.#queues.abort()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#http.close(), this.#queues.close()]);
  }
}

const isForQueue = (request: PushRequest): request is QueueRequest => request.queue !== undefined;
