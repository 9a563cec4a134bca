import type { Deadlines, Expiring } from '../deadlines.ts';
import { type BrokerFailure, failedOutcome } from '../failure.ts';
import type { Outcome, Phases, Receipt } from '../outcome.ts';
import type { QueueRequest } from '../transport.ts';

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
