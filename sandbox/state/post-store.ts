import type { Network } from './network.ts';

export function insertPost(network: Network, directory: string, page: string, post: object): string {
  const id = network.newId(directory, 'post');
  network.sql.run(
    'insert into posts (directory, id, page, post, posted_at) values (?, ?, ?, ?, ?)',
    directory,
    id,
    page,
    JSON.stringify(post),
    network.now(),
  );
  return id;
}

/** Returns false if the post does not exist or is already withdrawn. */
export function withdrawPost(network: Network, directory: string, id: string): boolean {
  const statement = 'update posts set withdrawn_at = ? where directory = ? and id = ? and withdrawn_at is null';
  return network.sql.run(statement, network.now(), directory, id) > 0;
}

export function postsOf({ sql }: Network, directory: string, page: string): { id: string }[] {
  const rows = sql.all<{ id: string; post: string }>(
    'select id, post from posts where directory = ? and page = ? and withdrawn_at is null order by number',
    directory,
    page,
  );
  return rows.map(({ id, post }) => ({ ...JSON.parse(post), id }));
}
