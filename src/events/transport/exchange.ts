import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import { keptHeaders } from './answer-headers.ts';
import type { Connection } from './connection.ts';
import type { Deadlines, Expiring } from './deadlines.ts';
import { Opening } from './dial.ts';
import { type Failure, failureOf, isReset, lateness } from './failure.ts';
import type { OriginPool } from './origin-pool.ts';
import { type Answer, type Outcome, outcomeOfAnswer, type Phases } from './outcome.ts';

/** One request and what comes back for it. undici calls the methods that begin with `on`. */
export class Exchange implements Dispatcher.DispatchHandler, Expiring<Exchange> {
  before: Exchange | undefined;
  behind: Exchange | undefined;
  expiresAt = 0;
  isSettled = false;
  readonly request: Dispatcher.DispatchOptions;
  readonly #pool: OriginPool;
  readonly #deadlines: Deadlines<Exchange>;
  readonly #resolve: (outcome: Outcome) => void;
  #opening: Opening | undefined;
  #connection: Connection | undefined;
  #beganAt = 0;
  #sentAt = 0;
  #answeredAt = 0;
  #isHeard = false;
  #answer: Answer | undefined;
  #body: AnswerBody | undefined;

  constructor(
    request: Dispatcher.DispatchOptions,
    pool: OriginPool,
    deadlines: Deadlines<Exchange>,
    resolve: (outcome: Outcome) => void,
  ) {
    this.request = request;
    this.#pool = pool;
    this.#deadlines = deadlines;
    this.#resolve = resolve;
  }

  get awaitsAnswer(): boolean {
    return !this.#answer && !this.isSettled;
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
    connection.carry(this);
  }

  fail({ reason, detail }: Failure): void {
    if (this.isSettled) return;
    const outcome: Outcome = { kind: 'unreachable', reason, detail, phases: this.#phases() };
    if (this.#answer) outcome.answer = this.#completed(this.#answer);
    this.#settle(outcome);
  }

  expire(): void {
    this.fail(lateness(this.#stage, this.#deadlines.afterMs));
    if (this.#connection) this.#pool.discard(this.#connection);
    else this.#opening?.abandon();
  }

  onRequestStart(): void {
    this.#sentAt = performance.now();
  }

  onResponseStarted(): void {
    this.#isHeard = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 103 Early Hints and its like announce an answer, they are none.
    if (status < 200) return;
    this.#answeredAt = performance.now();
    this.#answer = { status, headers: keptHeaders(headers), body: AnswerBody.empty, truncated: false };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isSettled || !this.#answer) return;
    this.#body ??= new AnswerBody();
    if (this.#body.add(chunk)) return;
    this.#answer.truncated = true;
    this.#conclude(this.#answer);
    if (this.#connection) this.#pool.discard(this.#connection);
  }

  onResponseEnd(): void {
    if (this.isSettled || !this.#answer) return;
    this.#conclude(this.#answer);
    if (this.#connection) this.#pool.release(this.#connection);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const connection = this.#connection;
    if (this.isSettled || !connection) return;
    // A receiver may close a connection it holds for idle in the very moment it is used again. Nothing was heard,
    // so that says nothing about this delivery; a new connection, which is not reused, gives the true answer.
    if (connection.isReused && !this.#isHeard && isReset(error)) {
      this.#pool.replace(connection, this);
      return;
    }
    this.fail(failureOf(error, this.#stage));
    this.#pool.discard(connection);
  }

  get #stage() {
    if (this.#answer) return 'body';
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
    const totalMs = performance.now() - this.#beganAt;
    if (!this.#answer) return { ...this.#opening?.phases, totalMs };
    const firstByteMs = this.#answeredAt - this.#sentAt;
    return this.#opening ? { ...this.#opening.phases, firstByteMs, totalMs } : { firstByteMs, totalMs };
  }

  #settle(outcome: Outcome): void {
    this.isSettled = true;
    this.#deadlines.remove(this);
    this.#resolve(outcome);
  }
}
