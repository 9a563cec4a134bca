import type { Deadlines, Expiring } from '../deadlines.ts';
import { type BrokerFailure, failedOutcome } from '../failure.ts';
import type { Outcome, Phases, Receipt } from '../outcome.ts';
import type { QueueRequest } from '../transport.ts';
import type { TargetQueue } from './queue-url.ts';

/** The connection that a protocol runs on. */
export interface BrokerLink {
  readonly queue: TargetQueue;
  readonly isOpen: boolean;
  write(bytes: Buffer): void;
  /** Calls `secured` of the protocol afterwards. */
  startTls(): void;
  /** The broker accepted the connection: messages can be published. */
  ready(): void;
  /** The cluster has changed: messages after this one need a new connection. */
  outdated(): void;
  /** Closes the connection; all its publications fail. */
  fail(failure: BrokerFailure): void;
}

/** The client side of a broker's protocol. An exception means that the broker sent invalid data. */
export interface Broker {
  /** Why the broker accepts no messages at the moment, if it said so. */
  readonly blocked?: string | undefined;
  /** Absent if the server speaks first. */
  connected?(): void;
  /** Absent if TLS begins before the connection is open. */
  secured?(): void;
  receive(bytes: Buffer): void;
  /** Another server of the cluster that has to get the message, if there is one. */
  serverFor?(publication: Publication): URL | undefined;
  publish(publication: Publication): void;
  /** Bytes that announce the end of the connection. */
  readonly goodbye?: Buffer;
}

const maxText = 300;
/** Shorter ones would replace parts of words. */
const minSecret = 3;

/** A text of the broker for the log, without control characters, lone surrogates and credentials. */
export function brokerText(text: string, { credentials }: Pick<TargetQueue, 'credentials'>): string {
  let shown = text.slice(0, 4 * maxText).replace(/\p{Cc}+/gu, ' ');
  for (const secret of [credentials?.password, credentials?.username]) {
    if (secret && secret.length >= minSecret) shown = shown.replaceAll(secret, '••••••');
  }
  return shown.slice(0, maxText).toWellFormed().trim().replace(/\.$/, '');
}

/** One message and its confirmation. */
export class Publication implements Expiring<Publication> {
  previous: Publication | undefined;
  next: Publication | undefined;
  expiresAt = 0;
  isSettled = false;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Routing key, subject or topic. */
  readonly key: string;
  /** Kafka keeps the order of messages with the same one. */
  readonly group: string;
  readonly #deadlines: Deadlines<Publication>;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #beganAt = performance.now();
  #sentAt: number | undefined;
  /** Called once, when the publication has an outcome. */
  onSettled: () => void = () => {};
  onExpired: () => void = () => {};
  connectionPhases: () => Partial<Phases> = () => ({});

  constructor(
    { headers, body, queue, group }: QueueRequest,
    deadlines: Deadlines<Publication>,
    resolve: (outcome: Outcome) => void,
  ) {
    this.headers = headers;
    this.body = Buffer.from(body);
    this.key = queue.key;
    this.group = group;
    this.#deadlines = deadlines;
    this.#resolve = resolve;
    deadlines.add(this, this.#beganAt);
  }

  get id(): string {
    return this.headers['webhook-id'] ?? '';
  }

  get timeoutMs(): number {
    return this.#deadlines.afterMs;
  }

  get isSent(): boolean {
    return this.#sentAt !== undefined;
  }

  markSent(): void {
    this.#sentAt = performance.now();
  }

  expire(): void {
    this.onExpired();
  }

  confirm(receipt: Receipt): void {
    this.#settle({ kind: 'delivered', receipt, phases: this.phases() });
  }

  fail(failure: BrokerFailure, phases = this.phases()): void {
    this.#settle(failedOutcome(failure, phases));
  }

  phases(): Phases {
    const now = performance.now();
    const waited = this.#sentAt === undefined ? {} : { firstByteMs: now - this.#sentAt };
    return { ...this.connectionPhases(), ...waited, totalMs: now - this.#beganAt };
  }

  #settle(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.#deadlines.remove(this);
    this.#resolve(outcome);
    this.onSettled();
  }
}
