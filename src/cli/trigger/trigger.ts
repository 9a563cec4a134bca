import { setTimeout as pause } from 'node:timers/promises';
import type { EventTypeName } from '../../events/catalogue/catalogue.ts';
import type { SandboxControl } from '../../modules/directories/index.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError } from '../command.ts';
import { withSandbox } from '../sandbox/desk.ts';

/** How to cause an event of a type by a real change. */
export interface Trigger {
  /** The change and its restoration, for the help. */
  change: string;
  /** Default time limit. */
  timeoutMs?: number;
  run(run: TriggerRun): Promise<RecordedEvent>;
}

export interface RecordedEvent {
  id: number;
  event: Record<string, unknown>;
}

interface Settings {
  api: ApiClient;
  type: EventTypeName;
  locationId: number | undefined;
  timeoutMs: number;
  stopped: AbortSignal;
}

interface Restoration {
  /** The result, for the output. */
  done: string;
  work(): Promise<unknown>;
}

const defaultTimeoutMs = 60_000;
const pollMs = 250;
const maxEvents = 100;

export const timeoutOf = ({ timeoutMs = defaultTimeoutMs }: Trigger) => timeoutMs;

/** One run of "waypost trigger": makes changes, waits for events, and undoes the changes. */
export class TriggerRun {
  readonly api: ApiClient;
  readonly locationId: number | undefined;
  readonly #settings: Settings;
  readonly #restorations: Restoration[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
    this.api = settings.api;
    this.locationId = settings.locationId;
  }

  /** Messages go to stderr; stdout is for the event. */
  say(sentence: string): void {
    process.stderr.write(`${sentence}\n`);
  }

  sandbox<T>(work: (control: SandboxControl) => Promise<T>): Promise<T> {
    return withSandbox(work);
  }

  /** Makes a change and waits for its event; by default of the type of this run. */
  async eventOf(
    change: () => Promise<unknown>,
    matches: (event: Record<string, unknown>) => boolean,
    type = this.#settings.type,
  ): Promise<RecordedEvent> {
    const [newest] = await this.#events(`max=1`);
    await change();
    const { timeoutMs, stopped } = this.#settings;
    for (const end = Date.now() + timeoutMs; Date.now() < end && !stopped.aborted; ) {
      const events = await this.#events(`type=${type}&max=${maxEvents}`);
      const found = events.findLast(({ id, event }) => id > (newest?.id ?? 0) && matches(event));
      if (found) return found;
      await pause(pollMs, undefined, { signal: stopped }).catch(() => undefined);
    }
    if (stopped.aborted) throw new CommandError(`Stopped before ${type} was recorded.`);
    throw new CommandError(
      `${type} was not recorded within ${timeoutMs / 1000} s. Check that a worker is running, and the state of the ` +
        'directories with "waypost sandbox status". --timeout waits longer.',
    );
  }

  /** Restorations run in reverse order. */
  restoreAtEnd(done: string, work: () => Promise<unknown>): void {
    this.#restorations.push({ done, work });
  }

  /** A failed restoration does not prevent the others. */
  async restore(): Promise<void> {
    for (const { done, work } of this.#restorations.splice(0).reverse()) {
      try {
        await work();
        this.say(done);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        this.say(`Not restored (${done}): ${error.message}`);
      }
    }
  }

  async #events(query: string): Promise<RecordedEvent[]> {
    const { events } = await this.api.call<{ events: RecordedEvent[] }>('GET', `/api/events?${query}`);
    return events;
  }
}

/** A name that is used once, for temporary records. */
export const temporaryName = () => `Waypost trigger ${new Date().toISOString()}`;
