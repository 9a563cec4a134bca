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

const columns = `number, directory, id, page, type, text, language, rating, author, author_image as authorImage,
  photo_url as photoUrl, acted_at as actedAt, thread_at as threadAt, changed, removed_at as removedAt`;
const replyColumns =
  'id, data_point as dataPoint, author, text, is_owner as isOwner, replied_at as repliedAt, removed_at as removedAt';

export type NewDataPoint = Pick<DataPoint, 'directory' | 'page' | 'type' | 'author' | 'actedAt'> &
  Partial<Pick<DataPoint, 'text' | 'language' | 'rating' | 'authorImage' | 'photoUrl'>>;

export function insertDataPoint(network: Network, point: NewDataPoint): string {
  const id = network.newId(point.directory, point.type);
  network.sql.run(
    `insert into data_points
       (directory, id, page, type, text, language, rating, author, author_image, photo_url, acted_at, thread_at, changed)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    point.directory,
    id,
    point.page,
    point.type,
    point.text ?? null,
    point.language ?? null,
    point.rating ?? null,
    point.author,
    point.authorImage ?? null,
    point.photoUrl ?? null,
    point.actedAt,
    point.actedAt,
    network.nextNumber(),
  );
  return id;
}

export function findDataPoint({ sql }: Network, directory: string, id: string): DataPoint | undefined {
  return sql.one<DataPoint>(`select ${columns} from data_points where directory = ? and id = ?`, directory, id);
}

/** Threads of a page that changed after a position in the stream, without removed ones. */
export function readStream({ sql }: Network, directory: string, page: string, behind: number, limit: number) {
  return sql.all<DataPoint>(
    `select ${columns} from data_points
     where directory = ? and page = ? and changed > ? and removed_at is null order by changed limit ?`,
    directory,
    page,
    behind,
    limit,
  );
}

export function allDataPoints({ sql }: Network, directory: string, page: string): DataPoint[] {
  return sql.all<DataPoint>(
    `select ${columns} from data_points where directory = ? and page = ? order by number`,
    directory,
    page,
  );
}

export function listDataPointIds({ sql }: Network, directory: string, page: string, behind: string, limit: number) {
  return sql.all<{ id: string }>(
    `select id from data_points where directory = ? and page = ? and removed_at is null and id > ? order by id limit ?`,
    directory,
    page,
    behind,
    limit,
  );
}

export function countDataPoints({ sql }: Network, directory: string, page: string): number {
  const row = sql.one<{ count: number }>(
    'select count(*) as count from data_points where directory = ? and page = ? and removed_at is null',
    directory,
    page,
  );
  return row?.count ?? 0;
}

export function editDataPoint(
  network: Network,
  { directory, id }: DataPoint,
  change: { text?: string | undefined; rating?: number | undefined },
): void {
  network.sql.run(
    'update data_points set text = coalesce(?, text), rating = coalesce(?, rating) where directory = ? and id = ?',
    change.text ?? null,
    change.rating ?? null,
    directory,
    id,
  );
  touchThread(network, directory, id);
}

export function removeDataPoint(network: Network, { directory, id }: DataPoint): void {
  network.sql.run('update data_points set removed_at = ? where directory = ? and id = ?', network.now(), directory, id);
}

export function restoreDataPoint(network: Network, { directory, id }: DataPoint): void {
  network.sql.run('update data_points set removed_at = null where directory = ? and id = ?', directory, id);
  touchThread(network, directory, id);
}

/** Moves the thread to the end of the stream. */
function touchThread(network: Network, directory: string, id: string, at = network.now()): void {
  network.sql.run(
    'update data_points set changed = ?, thread_at = max(thread_at, ?) where directory = ? and id = ?',
    network.nextNumber(),
    at,
    directory,
    id,
  );
}

export function insertReply(
  network: Network,
  point: DataPoint,
  reply: { author: string; text: string; isOwner: boolean; at?: number },
): string {
  const id = network.newId(point.directory, 'reply');
  const at = reply.at ?? network.now();
  network.sql.run(
    'insert into replies (directory, id, data_point, author, text, is_owner, replied_at) values (?, ?, ?, ?, ?, ?, ?)',
    point.directory,
    id,
    point.id,
    reply.author,
    reply.text,
    Number(reply.isOwner),
    at,
  );
  touchThread(network, point.directory, point.id, at);
  return id;
}

export function findReply({ sql }: Network, directory: string, id: string): Reply | undefined {
  return sql.one<Reply>(`select ${replyColumns} from replies where directory = ? and id = ?`, directory, id);
}

/** Oldest first. */
export function repliesOf({ sql }: Network, directory: string, dataPoint: string): Reply[] {
  return sql.all<Reply>(
    `select ${replyColumns} from replies where directory = ? and data_point = ? order by number`,
    directory,
    dataPoint,
  );
}

export function setReplyRemoved(network: Network, directory: string, reply: Reply, removed: boolean): void {
  network.sql.run(
    'update replies set removed_at = ? where directory = ? and id = ?',
    removed ? network.now() : null,
    directory,
    reply.id,
  );
  touchThread(network, directory, reply.dataPoint);
}

/** A datapoint that is not removed, at a fraction (0 to 1) between the first and the last. */
export function existingDataPoint({ sql }: Network, fraction: number): DataPoint | undefined {
  return sql.one<DataPoint>(
    `select ${columns} from data_points
     where number >= (select cast(max(number) * ? as integer) from data_points) and removed_at is null
     order by number limit 1`,
    fraction,
  );
}

/** A removed datapoint, at a fraction (0 to 1) between the first and the last. */
export function removedDataPoint({ sql }: Network, fraction: number): DataPoint | undefined {
  return sql.one<DataPoint>(
    `select ${columns} from data_points where removed_at is not null order by removed_at, number limit 1
     offset (select cast(count(*) * ? as integer) from data_points where removed_at is not null)`,
    fraction,
  );
}
