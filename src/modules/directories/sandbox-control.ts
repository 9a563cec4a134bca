import type { DataPointSource, DataPointType, DirectoryListing, ListingProfile } from './connector.ts';

/** Where the sandbox network is, and the key of this installation. */
export interface SandboxAccess {
  /** Asked before each call: a sandbox that was started again may be elsewhere. */
  url(): string;
  key: string;
}

/** A page as the sandbox keeps it. */
export interface SandboxListing {
  directory: string;
  id: string;
  url?: string;
  profile: ListingProfile;
  claim: DirectoryListing['claim'];
  duplicateOf?: string;
  pending?: boolean;
}

export interface NewDataPoint {
  type?: DataPointType;
  text?: string;
  language?: string;
  rating?: number;
  author?: string;
  photoUrl?: string;
  /** ISO 8601; now without it. */
  date?: string;
}

/** A place that has been on directories for a while. */
export interface PopulatedPlace {
  key: string;
  profile: ListingProfile;
  pages: {
    directory: string;
    claim: DirectoryListing['claim'];
    /** Its age. */
    days: number;
    /** Datapoints that came in a month, over a year at most. */
    perMonth: number;
    /** Fields in which it shows something else than the profile. */
    drift: string[];
    duplicated: boolean;
  }[];
}

export interface PopulatedBrand {
  key: string;
  directory: string;
  name: string;
  followers: number;
  perMonth: number;
}

/** How a directory misbehaves. */
export type Trouble =
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
    trouble?: { kind: Trouble; until?: string };
    limit: { requests: number; perSeconds: number };
  }[];
}

export const receiverModes = ['accept', 'fail', 'slow', 'down'] as const;
export type ReceiverMode = (typeof receiverModes)[number];

/** An endpoint of the demo receiver, for webhooks of a demo. */
export interface ReceiverEndpoint {
  name: string;
  mode: ReceiverMode;
  /** Deliveries that arrived since the sandbox was started. */
  requests: number;
}

/** The sandbox does not do what it was told, or is not there; the message is for people. */
export class SandboxError extends Error {
  /** The HTTP status of its response; undefined when there was none. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

type Nullable<T> = { [Name in keyof T]?: T[Name] | null };

/** Tells the sandbox network what shall happen there next. */
export class SandboxControl {
  readonly #access: SandboxAccess;

  constructor(access: SandboxAccess) {
    this.#access = access;
  }

  status = () => this.#call<SandboxStatus>('GET', 'status');

  addListing(
    directory: string,
    profile: ListingProfile,
    more: { claim?: DirectoryListing['claim']; kind?: string; since?: string } = {},
  ) {
    return this.#call<SandboxListing>('POST', 'listings', { directory, profile, ...more });
  }

  listings = (query: { directory?: string; text?: string } = {}) =>
    this.#call<{ listings: SandboxListing[] }>('GET', `listings?${new URLSearchParams(query)}`);

  listing = (directory: string, id: string) => this.#call<SandboxListing>('GET', `listings/${path(directory, id)}`);

  /** Fields of the profile that are not given stay; null takes one away. */
  changeListing(
    directory: string,
    id: string,
    change: {
      profile?: Nullable<ListingProfile>;
      claim?: DirectoryListing['claim'];
      duplicateOf?: string | null;
    },
  ) {
    return this.#call<SandboxListing>('PATCH', `listings/${path(directory, id)}`, change);
  }

  removeListing = (directory: string, id: string) => this.#call('DELETE', `listings/${path(directory, id)}`);

  /** Changes the field given, or one by the sandbox's own dice, as directories do by themselves. */
  driftListing = (directory: string, id: string, field?: string) =>
    this.#call<SandboxListing & { field: string }>('POST', `listings/${path(directory, id)}/drift`, { field });

  /** A second page for the same place, which the directory takes for a duplicate of the first. */
  duplicateListing = (directory: string, id: string) =>
    this.#call<SandboxListing>('POST', `listings/${path(directory, id)}/duplicate`, {});

  /** Ends the directory's review of what was submitted for a page. */
  decideListing = (directory: string, id: string, decision: 'ACCEPTED' | 'REFUSED', message?: string) =>
    this.#call<SandboxListing>('POST', `listings/${path(directory, id)}/decide`, { decision, message });

  /** What the directory says to submissions from now on; null leaves it to its own rules again. */
  decideSubmissions = (
    directory: string,
    rule: { decision: 'ACCEPTED' | 'PENDING' | 'REFUSED'; messages?: string[] } | null,
  ) => this.#call('PUT', `directories/${path(directory)}/decisions`, rule ?? {});

  addBrandPage = (directory: string, page: { name: string; followers?: number }) =>
    this.#call<{ id: string; url: string }>('POST', 'brand-pages', { directory, ...page });

  changeBrandPage = (directory: string, id: string, change: { name?: string; followers?: number }) =>
    this.#call('PATCH', `brand-pages/${path(directory, id)}`, change);

  postDataPoint = (directory: string, place: DataPointSource, point: NewDataPoint) =>
    this.#call<{ id: string }>('POST', 'datapoints', { directory, ...place, ...point });

  postReview = (directory: string, listing: string, review: Omit<NewDataPoint, 'type'>) =>
    this.postDataPoint(directory, { listing }, { ...review, type: 'REVIEW' });

  editDataPoint = (directory: string, id: string, change: { text?: string; rating?: number }) =>
    this.#call('PATCH', `datapoints/${path(directory, id)}`, change);

  removeDataPoint = (directory: string, id: string) => this.#call('DELETE', `datapoints/${path(directory, id)}`);

  restoreDataPoint = (directory: string, id: string) =>
    this.#call('POST', `datapoints/${path(directory, id)}/restore`, {});

  dataPoints = (directory: string, place: DataPointSource) =>
    this.#call<{ dataPoints: SandboxDataPoint[] }>('GET', `datapoints?${new URLSearchParams({ directory, ...place })}`);

  addReply = (directory: string, dataPointId: string, reply: { text: string; author?: string; isOwner?: boolean }) =>
    this.#call<{ id: string }>('POST', `datapoints/${path(directory, dataPointId)}/replies`, reply);

  removeReply = (directory: string, id: string) => this.#call('DELETE', `replies/${path(directory, id)}`);

  restoreReply = (directory: string, id: string) => this.#call('POST', `replies/${path(directory, id)}/restore`, {});

  /** Posts that were published and not withdrawn. */
  posts = (directory: string, listing: string) =>
    this.#call<{ posts: { id: string; type: string; title?: string; description?: string }[] }>(
      'GET',
      `posts?${new URLSearchParams({ directory, listing })}`,
    );

  /** Until it is told to come back, or for so many seconds. */
  simulateFailure = (directory: string, kind: Trouble, seconds?: number) =>
    this.#call('PUT', `directories/${path(directory)}/trouble`, { kind, seconds });

  simulateOutage = (directory: string, seconds?: number) => this.simulateFailure(directory, 'error', seconds);

  simulateGarbage = (directory: string, seconds?: number) => this.simulateFailure(directory, 'garbage', seconds);

  endFailure = (directory: string) => this.#call('PUT', `directories/${path(directory)}/trouble`, {});

  /** Null brings the directory's own limit back. */
  setLimit = (directory: string, limit: { requests: number; perSeconds: number } | null) =>
    this.#call('PUT', `directories/${path(directory)}/limit`, limit ?? {});

  setLatency = (directory: string, milliseconds: number) =>
    this.#call('PUT', `directories/${path(directory)}/latency`, { milliseconds });

  /** Gives a page a past: datapoints with replies over so many days, and insights from the first of them on. */
  seed = (directory: string, listing: string, more: { days?: number; perMonth?: number } = {}) =>
    this.#call<{ dataPoints: number }>('POST', 'seed', { directory, listing, ...more });

  /** Many at once, with their pages and their past; what is there under the same key stays as it is. */
  populate = (places: readonly PopulatedPlace[], brands: readonly PopulatedBrand[] = []) =>
    this.#call<{ pages: number; dataPoints: number }>('POST', 'populate', { places, brands });

  receiverEndpoints = () => this.#call<{ endpoints: ReceiverEndpoint[] }>('GET', 'receiver');

  /** How an endpoint of the demo receiver responds; one that is not there yet is added. */
  setReceiver = (name: string, mode: ReceiverMode) => this.#call('PUT', `receiver/${path(name)}`, { mode });

  receiverUrl = (name: string) => `${this.#access.url()}/demo-receiver/${name}`;

  setLife = (on: boolean) => this.#call('PUT', 'life', { on });

  /** Moves the sandbox's clock forward; when it lives, it lives through the time. */
  advanceClock = (seconds: number) => this.#call<{ now: string }>('POST', 'clock', { seconds });

  addInstallation = (name: string) => this.#call<{ key: string }>('POST', 'installations', { name });

  reset = () => this.#call('POST', 'reset', {});

  async #call<T = unknown>(method: string, action: string, body?: object): Promise<T> {
    const url = `${this.#access.url()}/control/${action}`;
    const answer = await fetch(url, {
      method,
      headers: { 'x-sandbox-key': this.#access.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(60_000),
    }).catch((error: Error) => {
      throw new SandboxError(`The sandbox does not answer at ${this.#access.url()}: ${reasonOf(error)}.`);
    });
    const said = (await answer.json().catch(() => ({}))) as { messages?: string[] };
    if (answer.ok) return said as T;
    throw new SandboxError(said.messages?.join(' ') ?? `The sandbox answered HTTP ${answer.status}.`, answer.status);
  }
}

export interface SandboxDataPoint extends NewDataPoint {
  id: string;
  removed: boolean;
  replies: { id: string; author: string; text: string; isOwner: boolean; removed: boolean }[];
}

const path = (...parts: string[]) => parts.map(encodeURIComponent).join('/');

function reasonOf(error: Error): string {
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}
