import { setTimeout as pause } from 'node:timers/promises';

/** Longer than the limits of a request: 10 s for a connection, 33 s for a statement (decision 41). */
const callLimitMs = 45_000;
const pauseMs = 40;

/** Results of a scenario. */
export interface Measurement {
  acknowledged: number;
  /** Calls without a 2xx, by status or error. */
  failures: Map<string, number>;
  /** The longest time without a 2xx for the clients of the load balancer. */
  gapMs: number;
  longestCallMs: number;
  /** Deliveries of an event after its first. */
  duplicates: number;
  /** Responses that a client must not get. */
  violations: string[];
}

const emptyMeasurement = (): Measurement => ({
  acknowledged: 0,
  failures: new Map(),
  gapMs: 0,
  longestCallMs: 0,
  duplicates: 0,
  violations: [],
});

interface Client {
  name: string;
  url: string;
  /** Whether its calls go through the load balancer. */
  isBalanced: boolean;
}

/** Clients that emit events without a retry, and the ledger of the receiver. */
export class Load {
  readonly #privateKey: string;
  readonly #type: string;
  readonly #stopping = new AbortController();
  readonly #acknowledged = new Set<number>();
  readonly #received = new Set<number>();
  readonly #clients: Promise<void>[] = [];
  #current = emptyMeasurement();
  #succeededAt = performance.now();
  /** Successes of each client since `startMeasurement` or `restartCounting`. */
  #successes = new Map<string, number>();
  /** 503 responses of API nodes, with Retry-After. */
  unavailableResponses = 0;

  constructor(privateKey: string, type: string) {
    this.#privateKey = privateKey;
    this.#type = type;
  }

  /** Called for each request to the receiver. */
  receive(id: number): void {
    if (this.#received.has(id)) this.#current.duplicates++;
    this.#received.add(id);
  }

  start(clients: readonly Client[]): void {
    this.#succeededAt = performance.now();
    for (const client of clients) this.#clients.push(this.#run(client));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
  }

  /** Starts the measurement of the next scenario and returns it. */
  startMeasurement(): Measurement {
    this.#current = emptyMeasurement();
    this.restartCounting();
    return this.#current;
  }

  restartCounting(): void {
    this.#successes = new Map();
  }

  /** Whether each of the clients had successes since the count was started. */
  haveSucceeded(clients: readonly Client[]): boolean {
    return clients.every(({ name }) => (this.#successes.get(name) ?? 0) >= 3);
  }

  /** Acknowledged events that the receiver has not received. */
  missing(): number[] {
    return [...this.#acknowledged.difference(this.#received)];
  }

  async #run(client: Client): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#call(client);
      await pause(pauseMs);
    }
  }

  async #call(client: Client): Promise<void> {
    const measurement = this.#current;
    const startedAt = performance.now();
    const outcome = await this.#emit(client);
    const callMs = performance.now() - startedAt;
    measurement.longestCallMs = Math.max(measurement.longestCallMs, callMs);
    if (Array.isArray(outcome)) return this.#succeed(client, outcome);
    measurement.failures.set(outcome, (measurement.failures.get(outcome) ?? 0) + 1);
  }

  #succeed({ name, isBalanced }: Client, ids: readonly number[]): void {
    for (const id of ids) this.#acknowledged.add(id);
    this.#current.acknowledged += ids.length;
    this.#successes.set(name, (this.#successes.get(name) ?? 0) + 1);
    if (!isBalanced) return;
    const now = performance.now();
    this.#current.gapMs = Math.max(this.#current.gapMs, now - this.#succeededAt);
    this.#succeededAt = now;
  }

  /** The ids of the acknowledged events, or the reason for none. */
  async #emit({ name, url, isBalanced }: Client): Promise<number[] | string> {
    const signal = AbortSignal.timeout(callLimitMs);
    try {
      const response = await fetch(`${url}/api/event-types/${this.#type}/emit`, {
        method: 'POST',
        headers: { privateKey: this.#privateKey, 'content-type': 'application/json' },
        body: '{}',
        signal,
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text).response.eventIds;
      this.#check(name, isBalanced, response, text);
      return String(response.status);
    } catch (error) {
      if (signal.aborted) this.#current.violations.push(`${name}: a call took longer than ${callLimitMs / 1000} s`);
      return signal.aborted ? 'time limit' : reasonOf(error);
    }
  }

  /** An outage of the database is 503 with Retry-After. HAProxy responds with 502 if an API node ends meanwhile. */
  #check(name: string, isBalanced: boolean, { status, headers }: Response, text: string): void {
    const isUnavailable = status === 503 && Number(headers.get('retry-after')) > 0;
    if (isUnavailable && !isBalanced) this.unavailableResponses++;
    if (isUnavailable || (isBalanced && status === 502)) return;
    this.#current.violations.push(`${name}: ${status} ${text.slice(0, 200)}`);
  }
}

const reasonOf = (error: unknown) => {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
};

export type { Client };
