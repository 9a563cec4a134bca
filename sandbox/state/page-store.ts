import type { BusinessKind } from '../activity/business-kind.ts';
import { businessKind } from '../activity/business-kind.ts';
import { nameKey, phoneKey, plain } from '../directories/match.ts';
import type { Profile } from '../profile.ts';
import type { Network } from './network.ts';

export interface Page {
  number: number;
  directory: string;
  id: string;
  kind: 'listing' | 'brand';
  business: BusinessKind;
  profile: Profile;
  owner: string | null;
  claimedAt: number | null;
  duplicateOf: string | null;
  pending: Profile | null;
  decideAt: number | null;
  visible: boolean;
  followers: number;
  since: number;
}

interface Row extends Omit<Page, 'profile' | 'pending' | 'visible'> {
  profile: string;
  pending: string | null;
  visible: number;
}

const columns = `number, directory, id, kind, business, profile, owner, claimed_at as claimedAt,
  duplicate_of as duplicateOf, pending, decide_at as decideAt, visible, followers, since`;

const pageOf = (row: Row): Page => ({
  ...row,
  profile: JSON.parse(row.profile),
  pending: row.pending === null ? null : JSON.parse(row.pending),
  visible: row.visible === 1,
});

export type NewPage = Pick<Page, 'directory' | 'kind' | 'profile'> &
  Partial<
    Pick<Page, 'owner' | 'claimedAt' | 'duplicateOf' | 'pending' | 'decideAt' | 'visible' | 'followers' | 'since'>
  >;

export function insertPage(network: Network, page: NewPage): Page {
  const id = network.newId(page.directory, page.kind);
  network.sql.run(
    `insert into pages (directory, id, kind, business, profile, owner, claimed_at, duplicate_of, pending, decide_at,
       visible, followers, since, name_key, zip_key, city_key, phone_key)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    page.directory,
    id,
    page.kind,
    businessKind(page.profile),
    JSON.stringify(page.profile),
    page.owner ?? null,
    page.claimedAt ?? null,
    page.duplicateOf ?? null,
    page.pending ? JSON.stringify(page.pending) : null,
    page.decideAt ?? null,
    Number(page.visible ?? true),
    page.followers ?? 0,
    page.since ?? network.now(),
    ...keysOf(page.profile),
  );
  return findPage(network, page.directory, id) as Page;
}

export function findPage({ sql }: Network, directory: string, id: string): Page | undefined {
  const row = sql.one<Row>(`select ${columns} from pages where directory = ? and id = ?`, directory, id);
  return row && pageOf(row);
}

/** The page with this number or the next one after it. */
export function pageFrom({ sql }: Network, number: number): Page | undefined {
  const row = sql.one<Row>(`select ${columns} from pages where number >= ? order by number limit 1`, number);
  return row && pageOf(row);
}

export function lastPageNumber({ sql }: Network): number {
  return sql.one<{ last: number | null }>('select max(number) as last from pages')?.last ?? 0;
}

/** Writes all fields of a page. */
export function updatePage({ sql }: Network, page: Page): void {
  sql.run(
    `update pages set profile = ?, owner = ?, claimed_at = ?, duplicate_of = ?, pending = ?, decide_at = ?, visible = ?,
       followers = ?, since = ?, business = ?, name_key = ?, zip_key = ?, city_key = ?, phone_key = ?
     where number = ?`,
    JSON.stringify(page.profile),
    page.owner,
    page.claimedAt,
    page.duplicateOf,
    page.pending && JSON.stringify(page.pending),
    page.decideAt,
    Number(page.visible),
    page.followers,
    page.since,
    businessKind(page.profile),
    ...keysOf(page.profile),
    page.number,
  );
}

export function deletePage({ sql }: Network, { directory, id }: Page): void {
  sql.transaction(() => {
    sql.run(
      'delete from replies where directory = ? and data_point in (select id from data_points where directory = ? and page = ?)',
      directory,
      directory,
      id,
    );
    sql.run('delete from data_points where directory = ? and page = ?', directory, id);
    sql.run('delete from posts where directory = ? and page = ?', directory, id);
    sql.run('delete from pages where directory = ? and id = ?', directory, id);
  });
}

const maxCandidates = 300;

/** Pages that share a postal code, a phone number, a name, or the city and the first letters of the name. */
export function candidatePages({ sql }: Network, directory: string, sought: Profile): Page[] {
  const [name, zip, city, phone] = keysOf(sought);
  const rows = sql.all<Row>(
    `select ${columns} from pages where number in (
       select number from (select number from pages where directory = ?1 and zip_key = ?2 and ?2 <> '' limit ?6)
       union select number from (select number from pages where directory = ?1 and phone_key = ?3 and ?3 <> '' limit ?6)
       union select number from (select number from pages where directory = ?1 and name_key = ?4 limit ?6)
       union select number from (
         select number from pages where directory = ?1 and city_key = ?5 and ?5 <> ''
           and name_key >= substr(?4, 1, 3) and name_key < substr(?4, 1, 3) || char(1114111) limit ?6)
     ) and kind = 'listing' and visible = 1`,
    directory,
    zip,
    phone,
    name,
    city,
    maxCandidates,
  );
  return rows.map(pageOf);
}

export function brandPages({ sql }: Network, directory: string, name: string): Page[] {
  return sql
    .all<Row>(
      `select ${columns} from pages where directory = ? and kind = 'brand' and name_key = ? order by number`,
      directory,
      nameKey(name),
    )
    .map(pageOf);
}

export function listPages({ sql }: Network, directory: string | undefined, text: string, limit: number): Page[] {
  return sql
    .all<Row>(
      `select ${columns} from pages
       where kind = 'listing' and directory = coalesce(?1, directory) and (?2 = '' or name_key like '%' || ?2 || '%')
       order by number desc limit ?3`,
      directory ?? null,
      nameKey(text),
      limit,
    )
    .map(pageOf);
}

/** Pages whose review is due. */
export function decidedPages({ sql }: Network, now: number): Page[] {
  return sql.all<Row>(`select ${columns} from pages where decide_at <= ? order by decide_at, number`, now).map(pageOf);
}

const keysOf = (profile: Profile): [string, string, string, string] => [
  nameKey(profile.name),
  plain(profile.zip ?? ''),
  plain(profile.city ?? ''),
  phoneKey(profile.phone),
];
