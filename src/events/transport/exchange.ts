import { AnswerBody } from './answer-body.ts';
import type { AnswerHead } from './answer-head.ts';
import type { AnswerListener } from './answer-reader.ts';
import type { Connection } from './connection.ts';
import type { Deadlines, Expiring } from './deadlines.ts';
import { Opening } from './dial.ts';
import { closedEarly, type Failure, failureOf, isReset, lateness, malformedAnswer } from './failure.ts';
import { isResolverDown } from './name-lookup.ts';
import type { OriginPool } from './origin-pool.ts';
import { type Answer, type Outcome, outcomeOfAnswer, type Phases } from './outcome.ts';
import type { WrittenRequest } from './request-text.ts';

/** One request and what comes back for it. */
export class Exchange implements AnswerListener, Expiring<Exchange> {
  before: Exchange | undefined;
  behind: Exchange | undefined;
  expiresAt = 0;
  isSettled = false;
  #isLate = false;
  readonly request: WrittenRequest;
  /** The partner whose webhook it is. */
  readonly owner: number | undefined;
  readonly #pool: OriginPool;
  readonly #deadlines: Deadlines<Exchange>;
  readonly #resolve: (outcome: Outcome) => void;
  #opening: Opening | undefined;
  #connection: Connection | undefined;
  #beganAt = 0;
  #sentAt = 0;
  #answeredAt = 0;
  #answer: Answer | undefined;
  #body: AnswerBody | undefined;

  constructor(
    request: WrittenRequest,
    pool: OriginPool,
    deadlines: Deadlines<Exchange>,
    resolve: (outcome: Outcome) => void,
    owner?: number,
  ) {
    this.request = request;
    this.owner = owner;
    this.#pool = pool;
    this.#deadlines = deadlines;
    this.#resolve = resolve;
  }

  /** Its turn has come: from here on the time counts. */
  begin(): void {
    this.#beganAt = performance.now();
    this.#deadlines.add(this, this.#beganAt);
  }

  /** A connection of its own is opened for it. */
  awaitConnection(): Opening {
    this.#connection = undefined;
    this.#opening = new Opening();
    return this.#opening;
  }

  sendOn(connection: Connection): void {
    this.#connection = connection;
    this.#sentAt = performance.now();
    connection.carry(this);
  }

  /** No connection could be opened for it. */
  failToOpen(failure: Failure): void {
    if (!this.#isLate) this.fail(failure);
  }

  fail({ reason, detail, isLocalFailure }: Failure, phases = this.#phases()): void {
    if (this.isSettled) return;
    const outcome: Outcome = { kind: 'unreachable', reason, detail, phases };
    if (isLocalFailure) outcome.isLocalFailure = true;
    if (this.#answer) outcome.answer = this.#completed(this.#answer);
    this.#settle(outcome);
  }

  expire(): void {
    const late = lateness(this.#stage, this.#deadlines.afterMs);
    if (this.#stage === 'lookup') void this.#expireInLookup(late);
    else this.fail(late);
    if (this.#connection) this.#connection.discard();
    else this.#opening?.abandon();
  }

  /** A name that its servers are slow with is its owner's fault, name servers that respond to nothing are not. */
  async #expireInLookup(late: Failure): Promise<void> {
    this.#isLate = true;
    const phases = this.#phases();
    this.fail((await isResolverDown()) ? { ...late, isLocalFailure: true } : late, phases);
  }

  onHead({ status, headers }: AnswerHead): void {
    this.#answeredAt = performance.now();
    this.#answer = { status, headers, body: AnswerBody.empty, truncated: false };
  }

  onBody(bytes: Buffer): void {
    if (!this.#answer) return;
    this.#body ??= new AnswerBody();
    if (this.#body.add(bytes)) return;
    this.#answer.truncated = true;
    this.#conclude(this.#answer);
    this.#connection?.discard();
  }

  onEnd(keptForMs: number): void {
    if (this.#answer) this.#conclude(this.#answer);
    this.#connection?.free(keptForMs);
  }

  onMalformed(cause: string): void {
    this.fail(malformedAnswer(cause));
    this.#connection?.discard();
  }

  connectionLost(error: NodeJS.ErrnoException | undefined): void {
    const connection = this.#connection;
    if (this.isSettled || !connection) return;
    // A receiver may close a connection it holds for idle in the very moment it is used again. Nothing was heard,
    // so that says nothing about this delivery; a new connection, which is not reused, gives the true answer.
    if (connection.isReused && !connection.isHeard && (!error || isReset(error))) {
      this.#pool.replace(connection, this);
      return;
    }
    this.fail(error ? failureOf(error, this.#stage) : closedEarly(this.#stage));
    connection.discard();
  }

  /** Settled, or about to be. */
  get isOver(): boolean {
    return this.isSettled || this.#isLate;
  }

  get #stage() {
    if (this.#answer) return 'body';
    if (this.#connection?.isHeard) return 'head';
    return this.#connection || !this.#opening ? 'answer' : this.#opening.stage;
  }

  #conclude(answer: Answer): void {
    this.#settle(outcomeOfAnswer(this.#completed(answer), this.#phases(), Date.now));
  }

  #completed(answer: Answer): Answer {
    if (this.#body) answer.body = this.#body.bytes();
    return answer;
  }

  #phases(): Phases {
    const now = performance.now();
    const totalMs = now - this.#beganAt;
    if (!this.#connection) return { ...this.#opening?.phasesUntil(now), totalMs };
    const firstByteMs = (this.#answer ? this.#answeredAt : now) - this.#sentAt;
    return this.#opening ? { ...this.#opening.phases, firstByteMs, totalMs } : { firstByteMs, totalMs };
  }

  #settle(outcome: Outcome): void {
    this.isSettled = true;
    this.#deadlines.remove(this);
    this.#resolve(outcome);
  }
}
