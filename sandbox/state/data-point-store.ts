import type { DataPointKind } from '../directories/directory-rules.ts';
import type { Network } from './network.ts';

export interface DataPoint {
  number: number;
  directory: string;
  id: string;
  page: string;
  type: DataPointKind;
  text: string | null;
  language: string | null;
  rating: number | null;
  author: string;
  authorImage: string | null;
  photoUrl: string | null;
  actedAt: number;
  threadAt: number;
  changed: number;
  removedAt: number | null;
}

export interface Reply {
  id: string;
  dataPoint: string;
  author: string;
  text: string;
  isOwner: number;
  repliedAt: number;
  removedAt: number | null;
}

export type NewDataPoint = Pick<DataPoint, 'directory' | 'page' | 'type' | 'author' | 'actedAt'> &
  Partial<Pick<DataPoint, 'text' | 'language' | 'rating' | 'authorImage' | 'photoUrl'>>;

export function insertDataPoint(network: Network, point: NewDataPoint): string {
  const id = network.newId(point.directory, point.type);
  network.sql.insert('data_points', { ...point, id, threadAt: point.actedAt, changed: network.nextNumber() });
  return id;
}

export function findDataPoint({ sql }: Network, directory: string, id: string): DataPoint | undefined {
  return sql.one<DataPoint>`select * from data_points where directory = ${directory} and id = ${id}`;
}

/** Threads of a page that changed after a position in the stream, without removed ones. */
export function readStream({ sql }: Network, directory: string, page: string, behind: number, limit: number) {
  return sql.all<DataPoint>`
    select * from data_points
    where directory = ${directory} and page = ${page} and changed > ${behind} and removed_at is null
    order by changed limit ${limit}`;
}

export function allDataPoints({ sql }: Network, directory: string, page: string): DataPoint[] {
  return sql.all<DataPoint>`
    select * from data_points where directory = ${directory} and page = ${page} order by number`;
}

export function listDataPointIds({ sql }: Network, directory: string, page: string, behind: string, limit: number) {
  // `+id`: by the index of the page, not by the ids of the whole directory.
  return sql.all<{ id: string }>`
    select id from data_points
    where directory = ${directory} and page = ${page} and removed_at is null and +id > ${behind}
    order by +id limit ${limit}`;
}

export function countDataPoints({ sql }: Network, directory: string, page: string): number {
  const row = sql.one<{ count: number }>`
    select count(*) as count from data_points
    where directory = ${directory} and page = ${page} and removed_at is null`;
  return row?.count ?? 0;
}

export function editDataPoint(
  network: Network,
  { directory, id }: DataPoint,
  { text = null, rating = null }: { text?: string | null | undefined; rating?: number | null | undefined },
): void {
  network.sql.run`
    update data_points set text = coalesce(${text}, text), rating = coalesce(${rating}, rating)
    where directory = ${directory} and id = ${id}`;
  touchThread(network, directory, id);
}

export function removeDataPoint(network: Network, { directory, id }: DataPoint): void {
  network.sql.run`
    update data_points set removed_at = ${network.now()} where directory = ${directory} and id = ${id}`;
}

export function restoreDataPoint(network: Network, { directory, id }: DataPoint): void {
  network.sql.run`update data_points set removed_at = null where directory = ${directory} and id = ${id}`;
  touchThread(network, directory, id);
}

/** Moves the thread to the end of the stream. */
function touchThread(network: Network, directory: string, id: string, at = network.now()): void {
  network.sql.run`
    update data_points set changed = ${network.nextNumber()}, thread_at = max(thread_at, ${at})
    where directory = ${directory} and id = ${id}`;
}

export function insertReply(
  network: Network,
  { directory, id: dataPoint }: DataPoint,
  { isOwner, at = network.now(), ...reply }: { author: string; text: string; isOwner: boolean; at?: number },
): string {
  const id = network.newId(directory, 'reply');
  network.sql.insert('replies', { ...reply, directory, id, dataPoint, isOwner: Number(isOwner), repliedAt: at });
  touchThread(network, directory, dataPoint, at);
  return id;
}

export function findReply({ sql }: Network, directory: string, id: string): Reply | undefined {
  return sql.one<Reply>`select * from replies where directory = ${directory} and id = ${id}`;
}

/** Oldest first. */
export function repliesOf({ sql }: Network, directory: string, dataPoint: string): Reply[] {
  return sql.all<Reply>`
    select * from replies where directory = ${directory} and data_point = ${dataPoint} order by number`;
}

export function setReplyRemoved(network: Network, directory: string, reply: Reply, removed: boolean): void {
  network.sql.run`
    update replies set removed_at = ${removed ? network.now() : null}
    where directory = ${directory} and id = ${reply.id}`;
  touchThread(network, directory, reply.dataPoint);
}

/** A datapoint that is not removed, at a fraction (0 to 1) between the first and the last. */
export function existingDataPoint({ sql }: Network, fraction: number): DataPoint | undefined {
  return sql.one<DataPoint>`
    select * from data_points
    where number >= (select cast(max(number) * ${fraction} as integer) from data_points) and removed_at is null
    order by number limit 1`;
}

/** A removed datapoint, at a fraction (0 to 1) between the first and the last. */
export function removedDataPoint({ sql }: Network, fraction: number): DataPoint | undefined {
  return sql.one<DataPoint>`
    select * from data_points where removed_at is not null order by removed_at, number limit 1
    offset (select cast(count(*) * ${fraction} as integer) from data_points where removed_at is not null)`;
}
