import type { Socket } from 'node:net';
import type { ClientIdentity } from '../../signing/webhook-credentials.ts';
import type { TargetPolicy } from '../address-guard.ts';
import { dial, PendingConnection, upgrade } from '../dial.ts';
import type { EgressProxy } from '../egress-proxy.ts';
import { type BrokerFailure, closedEarly, failureOf, timeoutFailure } from '../failure.ts';
import { type Broker, type BrokerLink, brokerText, type Publication } from './broker.ts';
import { Kafka } from './kafka.ts';
import { Nats } from './nats.ts';
import type { TargetQueue } from './queue-url.ts';
import { RabbitMq } from './rabbitmq.ts';

const brokers = { rabbitmq: RabbitMq, nats: Nats, kafka: Kafka } as const;
const names = { rabbitmq: 'RabbitMQ (AMQP 0-9-1)', nats: 'NATS', kafka: 'Kafka' } as const;

const idleMs = 30_000;
/** Time for the last bytes to be sent. */
const goodbyeMs = 1000;
// Long enough to amortize the handshake, short enough to follow DNS changes.
const lifetimeMs = 5 * 60_000;
/** A broker may send this much, and some for each message: RabbitMQ returns those that it cannot route. */
const unsolicitedBytes = 256 * 1024;
const replyBytes = 16 * 1024;

/** A queue of a broker with a protocol of its own: Amazon SQS is HTTP. */
export type ConnectedQueue = TargetQueue & { broker: keyof typeof brokers };

interface ConnectionOptions {
  readonly policy: TargetPolicy;
  readonly proxy: EgressProxy | undefined;
  readonly owner: number | undefined;
  readonly identity: ClientIdentity | undefined;
  /** The connection whose broker named this server. */
  readonly parent?: QueueConnection;
  /** Opens a connection to another server of the cluster. */
  readonly openPeer: (parent: QueueConnection, url: URL) => QueueConnection;
  /** Called when the connection accepts no more publications. */
  readonly onRetired: (connection: QueueConnection) => void;
  readonly onClosed: (connection: QueueConnection) => void;
}

/** A connection to a broker. It publishes to one destination and is never reopened. */
export class QueueConnection implements BrokerLink {
  readonly queue: ConnectedQueue;
  readonly #options: ConnectionOptions;
  readonly #broker: Broker;
  readonly #pending = new PendingConnection();
  readonly #live = new Set<Publication>();
  /** Connections to other servers of the cluster, by origin. */
  readonly #peers = new Map<string, QueueConnection>();
  readonly #retiresAt = performance.now() + lifetimeMs;
  #socket: Socket | undefined;
  #state: 'opening' | 'handshake' | 'ready' | 'closed' = 'opening';
  #isRetired = false;
  #idleSince = 0;
  #receivable = unsolicitedBytes;

  constructor(queue: ConnectedQueue, options: ConnectionOptions) {
    this.queue = queue;
    this.#options = options;
    this.#broker = new brokers[queue.broker](this);
    void this.#open();
  }

  get isOpen(): boolean {
    return this.#state !== 'closed';
  }

  get isIdle(): boolean {
    return this.#live.size === 0;
  }

  /** Whether an idle connection should be closed, or a busy one replaced. */
  get isExpired(): boolean {
    const now = performance.now();
    return now > this.#retiresAt || (this.isIdle && now > this.#idleSince + idleMs);
  }

  publish(publication: Publication): void {
    this.#live.add(publication);
    publication.onSettled = () => this.#settled(publication);
    publication.onExpired = () => void this.#expired(publication);
    if (this.#state === 'ready') this.#send(publication);
    else publication.connectionPhases = () => this.#pending.phasesUntil(performance.now());
  }

  write(bytes: Buffer): void {
    this.#socket?.write(bytes);
  }

  startTls(): void {
    void this.#upgrade();
  }

  ready(): void {
    this.#state = 'ready';
    for (const publication of this.#live) this.#send(publication);
    if (this.#isRetired && this.isIdle) this.#close();
  }

  outdated(): void {
    this.retire();
    this.#options.parent?.retire();
  }

  fail(failure: BrokerFailure): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#leaveParent();
    for (const peer of this.#peers.values()) peer.retire();
    this.#pending.abort();
    this.#socket?.destroy();
    for (const publication of this.#live) publication.fail(failure);
    this.#options.onClosed(this);
  }

  /** Accepts no more publications, and closes when the open ones are settled. */
  retire(): void {
    if (!this.#isRetired) this.#options.onRetired(this);
    this.#isRetired = true;
    this.#leaveParent();
    if (this.isIdle) this.#close();
  }

  #close(): void {
    if (this.#state === 'closed') return;
    const socket = this.#socket;
    if (this.#state === 'ready' && socket) {
      if (this.#broker.goodbye) this.write(this.#broker.goodbye);
      socket.destroySoon();
      setTimeout(() => socket.destroy(), goodbyeMs).unref();
      this.#socket = undefined;
    }
    this.fail({ reason: 'unreachable', detail: 'The connection was closed.' });
  }

  #send(publication: Publication): void {
    const server = this.#options.parent ? undefined : this.#broker.serverFor?.(publication);
    if (server) {
      this.#forward(publication, server);
      return;
    }
    publication.markSent();
    this.#receivable += publication.body.length + replyBytes;
    this.#broker.publish(publication);
  }

  /** The publication belongs to the other connection from then on. */
  #forward(publication: Publication, url: URL): void {
    this.#live.delete(publication);
    this.#idleSince = performance.now();
    let peer = this.#peers.get(url.origin);
    if (!peer || peer.isExpired) {
      peer?.retire();
      peer = this.#options.openPeer(this, url);
      this.#peers.set(url.origin, peer);
    }
    peer.publish(publication);
  }

  #leaveParent(): void {
    const { parent } = this.#options;
    const { origin } = this.queue.url;
    if (parent && parent.#peers.get(origin) === this) parent.#peers.delete(origin);
  }

  #settled(publication: Publication): void {
    this.#live.delete(publication);
    this.#idleSince = performance.now();
    if (this.#isRetired && this.isIdle) this.#close();
  }

  /** A broker that does not confirm in time gets no more messages on this connection. */
  async #expired(publication: Publication): Promise<void> {
    const { timeoutMs } = publication;
    if (this.#state !== 'opening') {
      const silent = publication.isSent ? 'confirm the message' : 'accept the connection';
      const detail = this.#broker.blocked ?? `The broker did not ${silent} within ${timeoutMs / 1000} s.`;
      publication.fail({ reason: 'timeout', detail });
      this.retire();
      return;
    }
    const timeout = timeoutFailure(this.#pending.stage, timeoutMs);
    const phases = publication.phases();
    const isLocal = await this.#pending.isLocalFailure?.();
    publication.fail(isLocal ? { ...timeout, isLocalFailure: true } : timeout, phases);
    this.retire();
  }

  async #open(): Promise<void> {
    const { policy, owner, identity, proxy } = this.#options;
    const upgradesLater = this.queue.broker === 'nats';
    const opened = await dial(this.queue.url, policy, this.#pending, { owner, identity, proxy, upgradesLater });
    this.#opened(opened, () => this.#broker.connected?.());
  }

  #opened(opened: Socket | BrokerFailure, greet: () => void): void {
    if ('reason' in opened) this.fail(this.#named(opened));
    else if (this.#state !== 'opening') opened.destroy();
    else {
      this.#state = 'handshake';
      this.#attach(opened);
      greet();
    }
  }

  /** The server is not the one of the push URL if a broker named it. */
  #named(failure: BrokerFailure): BrokerFailure {
    if (!this.#options.parent) return failure;
    return { ...failure, detail: `The broker named the server ${this.queue.url.host}. ${failure.detail}` };
  }

  async #upgrade(): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    for (const event of ['data', 'end', 'close']) socket.removeAllListeners(event);
    this.#state = 'opening';
    const opened = await upgrade(socket, this.queue.url, this.#options.identity, this.#pending);
    this.#opened(opened, () => this.#broker.secured?.());
  }

  #attach(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('error', (error) => this.fail(failureOf(error, 'response')));
    const closed = () => this.fail(this.#state === 'ready' ? lost : closedEarly('response'));
    socket.on('end', closed);
    socket.on('close', closed);
  }

  #receive(bytes: Buffer): void {
    if (this.#state === 'closed') return;
    this.#receivable -= bytes.length;
    if (this.#receivable < 0) {
      this.#violated('more data than its messages can need');
      return;
    }
    try {
      this.#broker.receive(bytes);
    } catch (error) {
      // Errors of the JSON parser quote the data.
      this.#violated(brokerText((error as Error).message, this.queue));
    }
  }

  #violated(cause: string): void {
    this.fail({ reason: 'protocol', detail: `The data is not valid for ${names[this.queue.broker]}: ${cause}.` });
  }
}

const lost: BrokerFailure = {
  reason: 'connection-reset',
  detail: 'The broker closed the connection before it confirmed the message.',
};
