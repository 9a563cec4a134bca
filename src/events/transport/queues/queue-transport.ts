import { Deadlines } from '../deadlines.ts';
import { notSent } from '../http-transport.ts';
import type { Outcome } from '../outcome.ts';
import type { QueueRequest, TransportOptions } from '../transport.ts';
import { Publication } from './broker.ts';
import { type ConnectedQueue, QueueConnection } from './queue-connection.ts';

type Receiver = Pick<QueueRequest, 'owner' | 'identity'> & { queue: ConnectedQueue };

const sweepMs = 5000;
/** More connections are opened only while none of these is idle; the worker limits the messages in flight. */
const maxConnections = 256;

/** A request for a broker with a protocol of its own. */
export type ConnectedRequest = QueueRequest & { queue: ConnectedQueue };

/** Publishes to queues of brokers, with one connection per destination. Always resolves to an outcome, never rejects. */
export class QueueTransport {
  readonly #options: TransportOptions;
  /** By timeout. */
  readonly #deadlines = new Map<number, Deadlines<Publication>>();
  /** By connection id, without retired ones. */
  readonly #connections = new Map<string, QueueConnection>();
  readonly #open = new Set<QueueConnection>();
  #sweeping: NodeJS.Timeout | undefined;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  send(request: ConnectedRequest): Promise<Outcome> {
    if (this.#closed) return notSent({ reason: 'unreachable', detail: 'This service is shutting down.' });
    const { timeoutMs = this.#options.timeoutMs } = request;
    const deadlines = this.#deadlines.get(timeoutMs) ?? this.#addDeadlines(timeoutMs);
    return new Promise((resolve) => {
      const publication = new Publication(request, deadlines, resolve);
      this.#connectionFor(request).publish(publication);
    });
  }

  /** Ends the messages in flight. */
  async abort(): Promise<void> {
    const closed = this.close();
    for (const deadlines of this.#deadlines.values()) deadlines.expireAll();
    await closed;
  }

  /** Resolves when all messages in flight have an outcome. */
  async close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    clearInterval(this.#sweeping);
    for (const connection of this.#open) connection.retire();
    if (this.#open.size === 0) this.#closed.resolve();
    await this.#closed.promise;
    for (const deadlines of this.#deadlines.values()) deadlines.stop();
  }

  #connectionFor({ owner, identity, queue }: Receiver): QueueConnection {
    const known = this.#connections.get(queue.connectionId);
    if (known && !known.isExpired) return known;
    known?.retire();
    const connection = this.#openConnection({ owner, identity, queue });
    this.#connections.set(queue.connectionId, connection);
    return connection;
  }

  #openConnection({ owner, identity, queue }: Receiver, parent?: QueueConnection): QueueConnection {
    if (this.#open.size >= maxConnections) this.#closeIdle();
    const { policy, proxy } = this.#options;
    const connection = new QueueConnection(queue, {
      policy,
      proxy,
      owner,
      identity,
      ...(parent && { parent }),
      openPeer: (opener, url) => this.#openConnection({ owner, identity, queue: { ...queue, url } }, opener),
      onRetired: (retired) => this.#forget(retired),
      onClosed: (closed) => {
        this.#forget(closed);
        this.#open.delete(closed);
        if (this.#closed && this.#open.size === 0) this.#closed.resolve();
      },
    });
    this.#open.add(connection);
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref();
    return connection;
  }

  #forget(connection: QueueConnection): void {
    const { connectionId } = connection.queue;
    if (this.#connections.get(connectionId) === connection) this.#connections.delete(connectionId);
  }

  /** The idle connection that was opened first. */
  #closeIdle(): void {
    const [idle] = [...this.#open].filter((connection) => connection.isIdle);
    idle?.retire();
  }

  #sweep(): void {
    for (const connection of this.#open) if (connection.isExpired) connection.retire();
  }

  #addDeadlines(timeoutMs: number): Deadlines<Publication> {
    const deadlines = new Deadlines<Publication>(timeoutMs);
    this.#deadlines.set(timeoutMs, deadlines);
    return deadlines;
  }
}
