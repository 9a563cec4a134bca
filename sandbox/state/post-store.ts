import type { Network } from './network.ts';

export function insertPost(network: Network, directory: string, page: string, post: object): string {
  const id = network.newId(directory, 'post');
  network.sql.insert('posts', { directory, id, page, post: JSON.stringify(post), postedAt: network.now() });
  return id;
}

export const isPublished = ({ sql }: Network, directory: string, id: string): boolean =>
  sql.one<{ id: string }>`
    select id from posts where directory = ${directory} and id = ${id} and withdrawn_at is null` !== undefined;

/** Returns false if the post does not exist or is already withdrawn. */
export function withdrawPost(network: Network, directory: string, id: string): boolean {
  const withdrawn = network.sql.run`
    update posts set withdrawn_at = ${network.now()}
    where directory = ${directory} and id = ${id} and withdrawn_at is null`;
  return withdrawn > 0;
}

export function postsOf({ sql }: Network, directory: string, page: string): { id: string }[] {
  const rows = sql.all<{ id: string; post: string }>`
    select id, post from posts where directory = ${directory} and page = ${page} and withdrawn_at is null
    order by number`;
  return rows.map(({ id, post }) => ({ ...JSON.parse(post), id }));
}
