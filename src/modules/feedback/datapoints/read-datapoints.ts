import {
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryFault,
  isFault,
} from '../../directories/index.ts';
import { readShown, type ShownDatapoint } from './findings.ts';
import type { Inventory } from './vanished.ts';

export interface Reading {
  shown: ShownDatapoint[];
  /** How far it came; what lies before it has been read. */
  cursor: string | null;
  /** `ended`: all was read. `paused`: there is more than one reading takes. Otherwise why it stopped. */
  end: 'ended' | 'paused' | DirectoryFault;
}

/** Reads page after page. A page that cannot be understood, or a cursor that comes again, is not read past. */
export async function readDatapoints(
  connector: Pick<DirectoryConnector, 'readDataPoints'>,
  place: DataPointSource,
  from: string | null,
  { mostPages, signal }: { mostPages: number; signal?: AbortSignal },
): Promise<Reading> {
  const reading: Reading = { shown: [], cursor: from, end: 'paused' };
  const seen = new Set<string | null>([from]);
  for (let page = 0; page < mostPages && !signal?.aborted; page++) {
    const answer = await connector.readDataPoints(place, reading.cursor ?? undefined);
    if (isFault(answer)) return { ...reading, end: answer };
    const shown = answer.dataPoints.map(readShown);
    if (!isComplete(shown)) return { ...reading, end: nonsense('a datapoint that makes no sense') };
    reading.shown.push(...shown);
    if (seen.has(answer.cursor)) {
      return { ...reading, end: answer.more ? nonsense('the same page again and again') : 'ended' };
    }
    seen.add(answer.cursor);
    reading.cursor = answer.cursor;
    if (!answer.more) return { ...reading, end: 'ended' };
  }
  return reading;
}

const isComplete = (shown: (ShownDatapoint | undefined)[]): shown is ShownDatapoint[] => !shown.includes(undefined);

const nonsense = (what: string): DirectoryFault => ({ fault: 'unavailable', detail: `It answered with ${what}.` });

export async function readInventory(
  connector: Pick<DirectoryConnector, 'readDataPointIds'>,
  place: DataPointSource,
): Promise<Inventory | DirectoryFault> {
  const answer = await connector.readDataPointIds(place);
  if (isFault(answer)) return answer;
  return new Map(answer.map(({ externalId, replyIds }) => [externalId, new Set(replyIds)]));
}

/**
 * The same by another way: the page is there, and every datapoint is read from the beginning. Nothing when that did
 * not work to the end.
 */
export async function readInventoryAgain(
  connector: Pick<DirectoryConnector, 'read' | 'readDataPoints'>,
  place: DataPointSource,
): Promise<Inventory | undefined> {
  if ('listing' in place) {
    const page = await connector.read(place.listing);
    if (page === undefined || isFault(page)) return undefined;
  }
  const { shown, end } = await readDatapoints(connector, place, null, { mostPages: 1000 });
  if (end !== 'ended') return undefined;
  return new Map(
    shown.map(({ externalId, replies }) => [externalId, new Set(replies.map((reply) => reply.externalId))]),
  );
}
