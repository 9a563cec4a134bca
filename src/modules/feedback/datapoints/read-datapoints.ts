import {
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryFault,
  isFault,
} from '../../directories/index.ts';
import { type FetchedDatapoint, type Inventory, parseDatapoint } from './datapoint-diff.ts';

export interface ReadResult {
  fetched: FetchedDatapoint[];
  /** Everything before this cursor has been read. */
  cursor: string | null;
  /** `ended`: everything was read. `paused`: the page limit was reached. Otherwise the fault that stopped the read. */
  end: 'ended' | 'paused' | DirectoryFault;
}

/** Stops at an invalid page and at a cursor that repeats. */
export async function readDatapoints(
  connector: Pick<DirectoryConnector, 'readDataPoints'>,
  place: DataPointSource,
  from: string | null,
  { maxPages, signal }: { maxPages: number; signal?: AbortSignal },
): Promise<ReadResult> {
  const result: ReadResult = { fetched: [], cursor: from, end: 'paused' };
  const seen = new Set<string | null>([from]);
  for (let page = 0; page < maxPages && !signal?.aborted; page++) {
    const response = await connector.readDataPoints(place, result.cursor ?? undefined);
    if (isFault(response)) return { ...result, end: response };
    const fetched = response.dataPoints.map(parseDatapoint);
    if (!isComplete(fetched)) return { ...result, end: invalidResponse('invalid datapoint') };
    result.fetched.push(...fetched);
    if (seen.has(response.cursor)) {
      return { ...result, end: response.more ? invalidResponse('pagination cursor repeats') : 'ended' };
    }
    seen.add(response.cursor);
    result.cursor = response.cursor;
    if (!response.more) return { ...result, end: 'ended' };
  }
  return result;
}

const isComplete = (fetched: (FetchedDatapoint | undefined)[]): fetched is FetchedDatapoint[] =>
  !fetched.includes(undefined);

const invalidResponse = (reason: string): DirectoryFault => ({
  fault: 'unavailable',
  detail: `Invalid response: ${reason}.`,
});

export async function readInventory(
  connector: Pick<DirectoryConnector, 'readDataPointIds'>,
  place: DataPointSource,
): Promise<Inventory | DirectoryFault> {
  const response = await connector.readDataPointIds(place);
  if (isFault(response)) return response;
  return new Map(response.map(({ externalId, replyIds }) => [externalId, new Set(replyIds)]));
}

/** Builds the inventory by reading all datapoints. Returns undefined if that fails. */
export async function rebuildInventory(
  connector: Pick<DirectoryConnector, 'read' | 'readDataPoints'>,
  place: DataPointSource,
): Promise<Inventory | undefined> {
  if ('listing' in place) {
    const page = await connector.read(place.listing);
    if (page === undefined || isFault(page)) return undefined;
  }
  const { fetched, end } = await readDatapoints(connector, place, null, { maxPages: 1000 });
  if (end !== 'ended') return undefined;
  return new Map(
    fetched.map(({ externalId, replies }) => [externalId, new Set(replies.map((reply) => reply.externalId))]),
  );
}
