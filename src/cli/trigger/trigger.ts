import { setTimeout as pause } from 'node:timers/promises';
import type { EventTypeName } from '../../events/catalogue/catalogue.ts';
import { type Directory, directoryList } from '../../modules/directories/index.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError } from '../command.ts';
import type { Listing } from '../sandbox/sandbox-client.ts';

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

/** Matches the events with a field of this value. */
export const about = (field: string, value: unknown) => (event: RecordedEvent['event']) => event[field] === value;

/** A name that is used once, for temporary records. */
export const temporaryName = () => `Waypost trigger ${new Date().toISOString()}`;

export interface Location {
  id: number;
  businessId: number;
  status: string;
  descriptionShort?: string | null;
  street?: string;
  zip?: string;
  city?: string;
  country?: string;
  categories?: unknown;
}

/** A listing that is linked to its directory. */
export type LinkedListing = Listing & { listingId: string };

const maxLocations = 20;

/** The location of --location, or the first one with the status. */
export async function chosenLocation(run: TriggerRun, ...statuses: string[]): Promise<Location> {
  if (run.locationId !== undefined) {
    const location = await run.api.call<Location>('GET', `/api/locations/${run.locationId}`);
    if (statuses.includes(location.status)) return location;
    throw new CommandError(
      `Location ${location.id} is ${location.status}. Choose one that is ${statuses.join(' or ')}, or omit --location.`,
    );
  }
  const [location] = await locationsOf(run, statuses, 1);
  if (location) return location;
  throw new CommandError(
    `No location is ${statuses.join(' or ')}. Run "waypost demo" to create demo data, or create a location and sync it.`,
  );
}

/** A linked listing of --location, or of one of the first active locations, on a suitable directory. */
export async function chosenListing(
  run: TriggerRun,
  isSuitable: (directory: Directory) => boolean,
): Promise<LinkedListing> {
  const locations =
    run.locationId === undefined ? await locationsOf(run, ['ACTIVE'], maxLocations) : [{ id: run.locationId }];
  const types = directoryList.filter((directory) => !directory.supports.linkOnly && isSuitable(directory));
  const suitable = types.map(({ type }) => type);
  const listings: Listing[] = [];
  if (locations.length > 0) {
    const query = `locationIds=${locations.map(({ id }) => id)}&directoryType=${suitable}&duplicates=false&max=100`;
    listings.push(...(await run.api.call<{ listings: Listing[] }>('GET', `/api/listings?${query}`)).listings);
  }
  const [best] = listings.filter(isUsable).sort((a, b) => rank(a) - rank(b));
  if (best) return best;
  const directories = suitable.join(', ');
  throw new CommandError(
    run.locationId === undefined
      ? `No active location has a linked listing on one of ${directories}. Wait until the demo data is complete, or sync a location.`
      : `Location ${run.locationId} has no linked listing on one of ${directories}. Sync it and try again, or omit --location.`,
  );
}

const isUsable = (listing: Listing): listing is LinkedListing =>
  listing.listingId !== undefined && listing.connectStatus !== 'NOT_CONNECTED';

/** Listings that Waypost manages and that are in sync come first: their restoration is certain. */
const rank = ({ claimStatus, syncStatus }: Listing) =>
  Number(claimStatus !== 'CLAIMED_BY_US') * 2 + Number(syncStatus !== 'IN_SYNC');

async function locationsOf(run: TriggerRun, statuses: readonly string[], max: number): Promise<Location[]> {
  const query = `status=${statuses}&max=${max}`;
  return (await run.api.call<{ locations: Location[] }>('GET', `/api/locations?${query}`)).locations;
}

/** Checks the listings of a location now. */
export const check = (run: TriggerRun, locationId: number) =>
  run.api.call('POST', `/api/locations/${locationId}/sync`, { submit: false });
