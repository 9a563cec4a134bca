import type { DataPointSource, DirectoryDataPoint, DirectoryListing, ListingProfile } from './connector.ts';

/** URL of the sandbox network and the key of this installation. */
export interface SandboxAccess {
  /** Read before each request, like the key: the port can change when the sandbox restarts. */
  url(): string;
  key: string;
  /** Whether there is a URL; default: true. */
  isKnown?(): boolean;
}

export const unknownSandbox =
  'No sandbox network runs in the data folder of this process. Start a worker with the same WAYPOST_DATA_DIR, or set WAYPOST_SANDBOX_URL and WAYPOST_SANDBOX_KEY.';

export interface SandboxListing extends Omit<DirectoryListing, 'externalId'> {
  directory: string;
  id: string;
}

interface NewDataPoint
  extends Partial<Pick<DirectoryDataPoint, 'type' | 'text' | 'language' | 'rating' | 'author' | 'photoUrl'>> {
  /** ISO 8601. Defaults to now. */
  date?: string;
}

/** A location with existing listings. */
export interface PopulatedPlace {
  key: string;
  profile: ListingProfile;
  pages: {
    directory: string;
    claim: DirectoryListing['claim'];
    /** Age of the listing. */
    days: number;
    /** Datapoints per month, for at most one year. */
    perMonth: number;
    /** Fields that differ from the profile. */
    drift: string[];
    /** There is a second listing of the same location. */
    duplicated: boolean;
  }[];
}

interface PopulatedBrand {
  key: string;
  directory: string;
  name: string;
  followers: number;
  perMonth: number;
}

/** A simulated failure of a directory. */
export type FailureMode =
  | 'error'
  | 'hang'
  | 'reset'
  | 'garbage'
  | 'html'
  | 'empty'
  | 'truncated'
  | 'wrong-shape'
  | 'huge'
  | 'repeat';

export interface SandboxStatus {
  now: string;
  life: boolean;
  seed: number;
  directories: {
    type: string;
    listings: number;
    brandPages: number;
    dataPoints: number;
    requests: number;
    limited: number;
    trouble?: { kind: FailureMode; until?: string };
    limit: { requests: number; perSeconds: number };
  }[];
}

export const receiverModes = ['accept', 'fail', 'slow', 'down'] as const;
export type ReceiverMode = (typeof receiverModes)[number];

/** An endpoint of the demo receiver, which receives the webhooks of a demo. */
interface ReceiverEndpoint {
  name: string;
  mode: ReceiverMode;
  /** Deliveries received since the sandbox started. */
  requests: number;
}

/** The sandbox rejected a request or is not reachable. The message is shown to users. */
export class SandboxError extends Error {
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

type Nullable<T> = { [Name in keyof T]?: T[Name] | null };

/** Client of the sandbox's control API. */
export class SandboxControl {
  readonly #access: SandboxAccess;

  constructor(access: SandboxAccess) {
    this.#access = access;
  }

  status = () => this.call<SandboxStatus>('GET', 'status');

  listings = (query: { directory?: string; text?: string } = {}) =>
    this.call<{ listings: SandboxListing[] }>('GET', `listings?${new URLSearchParams(query)}`);

  listing = (directory: string, id: string) => this.call<SandboxListing>('GET', `listings/${path(directory, id)}`);

  /** Merges the profile. Null removes a field. */
  changeListing(
    directory: string,
    id: string,
    change: {
      profile?: Nullable<ListingProfile>;
      claim?: DirectoryListing['claim'];
      duplicateOf?: string | null;
    },
  ) {
    return this.call<SandboxListing>('PATCH', `listings/${path(directory, id)}`, change);
  }

  removeListing = (directory: string, id: string) => this.call('DELETE', `listings/${path(directory, id)}`);

  /** Changes `field`, or a random field, as directories do on their own. */
  driftListing = (directory: string, id: string, field?: string) =>
    this.call<SandboxListing & { field: string }>('POST', `listings/${path(directory, id)}/drift`, { field });

  /** Adds a second listing of the same location, marked as a duplicate. */
  duplicateListing = (directory: string, id: string) =>
    this.call<SandboxListing>('POST', `listings/${path(directory, id)}/duplicate`, {});

  /** Ends the directory's review of a submission. */
  decideListing = (directory: string, id: string, decision: 'ACCEPTED' | 'REFUSED', message?: string) =>
    this.call<SandboxListing>('POST', `listings/${path(directory, id)}/decide`, { decision, message });

  addBrandPage = (directory: string, page: { name: string; followers?: number }) =>
    this.call<{ id: string; url: string }>('POST', 'brand-pages', { directory, ...page });

  postDataPoint = (directory: string, source: DataPointSource, point: NewDataPoint) =>
    this.call<{ id: string }>('POST', 'datapoints', { directory, ...source, ...point });

  postReview = (directory: string, listing: string, review: Omit<NewDataPoint, 'type'>) =>
    this.postDataPoint(directory, { listing }, { ...review, type: 'REVIEW' });

  editDataPoint = (directory: string, id: string, change: { text?: string; rating?: number }) =>
    this.call('PATCH', `datapoints/${path(directory, id)}`, change);

  removeDataPoint = (directory: string, id: string) => this.call('DELETE', `datapoints/${path(directory, id)}`);

  restoreDataPoint = (directory: string, id: string) =>
    this.call('POST', `datapoints/${path(directory, id)}/restore`, {});

  dataPoints = (directory: string, source: DataPointSource) =>
    this.call<{ dataPoints: SandboxDataPoint[] }>('GET', `datapoints?${new URLSearchParams({ directory, ...source })}`);

  addReply = (directory: string, dataPointId: string, reply: { text: string; author?: string; isOwner?: boolean }) =>
    this.call<{ id: string }>('POST', `datapoints/${path(directory, dataPointId)}/replies`, reply);

  removeReply = (directory: string, id: string) => this.call('DELETE', `replies/${path(directory, id)}`);

  restoreReply = (directory: string, id: string) => this.call('POST', `replies/${path(directory, id)}/restore`, {});

  /** Lasts until `endFailure`, or for `seconds`. */
  simulateFailure = (directory: string, kind: FailureMode, seconds?: number) =>
    this.call('PUT', `directories/${path(directory)}/trouble`, { kind, seconds });

  simulateOutage = (directory: string, seconds?: number) => this.simulateFailure(directory, 'error', seconds);

  endFailure = (directory: string) => this.call('PUT', `directories/${path(directory)}/trouble`, {});

  /** Null restores the directory's own limit. */
  setLimit = (directory: string, limit: { requests: number; perSeconds: number } | null) =>
    this.call('PUT', `directories/${path(directory)}/limit`, limit ?? {});

  setLatency = (directory: string, milliseconds: number) =>
    this.call('PUT', `directories/${path(directory)}/latency`, { milliseconds });

  /** Generates a history: datapoints with replies, and insights, for the last `days` days. */
  seed = (directory: string, listing: string, more: { days?: number; perMonth?: number } = {}) =>
    this.call<{ dataPoints: number }>('POST', 'seed', { directory, listing, ...more });

  /** Adds listings and brand pages with their history. Entries with a known key are skipped. */
  populate = (places: readonly PopulatedPlace[], brands: readonly PopulatedBrand[] = []) =>
    this.call<{ pages: number; dataPoints: number }>('POST', 'populate', { places, brands });

  receiverEndpoints = () => this.call<{ endpoints: ReceiverEndpoint[] }>('GET', 'receiver');

  /** Sets how an endpoint of the demo receiver responds. Adds the endpoint if needed. */
  setReceiver = (name: string, mode: ReceiverMode) => this.call('PUT', `receiver/${path(name)}`, { mode });

  receiverUrl = (name: string) => `${this.#access.url()}/demo-receiver/${name}`;

  setLife = (on: boolean) => this.call('PUT', 'life', { on });

  /** Moves the sandbox's clock forward. With simulated activity on, generates the activity of that time. */
  advanceClock = (seconds: number) => this.call<{ now: string }>('POST', 'clock', { seconds });

  reset = () => this.call('POST', 'reset', {});

  protected async call<T = unknown>(method: string, action: string, body?: object): Promise<T> {
    if (this.#access.isKnown?.() === false) throw new SandboxError(unknownSandbox);
    const url = `${this.#access.url()}/control/${action}`;
    const response = await fetch(url, {
      method,
      headers: { 'x-sandbox-key': this.#access.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(60_000),
    }).catch((error: Error) => {
      throw new SandboxError(`The sandbox is not reachable at ${this.#access.url()}: ${reasonOf(error)}.`);
    });
    const content = (await response.json().catch(() => ({}))) as { messages?: string[] };
    if (response.ok) return content as T;
    const message = content.messages?.join(' ') ?? `The sandbox responded with HTTP ${response.status}.`;
    throw new SandboxError(message, response.status);
  }
}

interface SandboxDataPoint extends NewDataPoint {
  id: string;
  removed: boolean;
  replies: { id: string; author: string; text: string; isOwner: boolean; removed: boolean }[];
}

/** The path segments of a resource. */
export const path = (...parts: string[]) => parts.map(encodeURIComponent).join('/');

function reasonOf(error: Error): string {
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}
