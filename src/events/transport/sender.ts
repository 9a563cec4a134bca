import { HttpTransport } from './http-transport.ts';
import type { Outcome } from './outcome.ts';
import { type ConnectedRequest, QueueTransport } from './queues/queue-transport.ts';
import { Sqs } from './queues/sqs.ts';
import type { PushRequest, QueueRequest, TransportOptions } from './transport.ts';

/** Sends each delivery by the transport of its push URL (decision 58). Always resolves to an outcome, never rejects. */
export class Sender {
  readonly #http: HttpTransport;
  readonly #queues: QueueTransport;
  readonly #sqs: Sqs;

  constructor(options: TransportOptions) {
    this.#http = new HttpTransport(options);
    this.#queues = new QueueTransport(options);
    this.#sqs = new Sqs((request) => this.#http.send(request));
  }

  send(request: PushRequest): Promise<Outcome> {
    if (!isForQueue(request)) return this.#http.send(request);
    return isConnected(request) ? this.#queues.send(request) : this.#sqs.send(request);
  }

  /** Ends the requests in flight. */
  async abort(): Promise<void> {
    await Promise.all([this.#http.abort(), this.#queues.abort()]);
  }

  /** Resolves when all requests in flight have an outcome. */
  async close(): Promise<void> {
    await Promise.all([this.#http.close(), this.#queues.close()]);
  }
}

const isConnected = (request: QueueRequest): request is ConnectedRequest => request.queue.broker !== 'sqs';

const isForQueue = (request: PushRequest): request is QueueRequest => request.queue !== undefined;
