import { type BusinessKind, businessKind } from '../activity/business-kind.ts';
import { nameKey, normalize, phoneKey } from '../directories/match.ts';
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

const pageOf = (row: Row): Page => ({
  ...row,
  profile: JSON.parse(row.profile),
  pending: row.pending === null ? null : JSON.parse(row.pending),
  visible: row.visible === 1,
});

/** The columns that differ from the fields of a page or follow from its profile. */
const columnsOf = ({ profile, pending, visible = true }: NewPage) => ({
  profile: JSON.stringify(profile),
  pending: pending ? JSON.stringify(pending) : null,
  visible: Number(visible),
  business: businessKind(profile),
  ...keysOf(profile),
});

const keysOf = (profile: Profile) => ({
  nameKey: nameKey(profile.name),
  zipKey: normalize(profile.zip ?? ''),
  cityKey: normalize(profile.city ?? ''),
  phoneKey: phoneKey(profile.phone),
});

type NewPage = Pick<Page, 'directory' | 'kind' | 'profile'> & Partial<Omit<Page, 'number' | 'id' | 'business'>>;

export function insertPage(network: Network, page: NewPage): Page {
  const id = network.newId(page.directory, page.kind);
  network.sql.insert('pages', { since: network.now(), ...page, ...columnsOf(page), id });
  return findPage(network, page.directory, id) as Page;
}

export function findPage({ sql }: Network, directory: string, id: string): Page | undefined {
  const row = sql.one<Row>`select * from pages where directory = ${directory} and id = ${id}`;
  return row && pageOf(row);
}

/** The page with this number or the next one after it. */
export function pageFrom({ sql }: Network, number: number): Page | undefined {
  const row = sql.one<Row>`select * from pages where number >= ${number} order by number limit 1`;
  return row && pageOf(row);
}

export function lastPageNumber({ sql }: Network): number {
  return sql.one<{ last: number | null }>`select max(number) as last from pages`?.last ?? 0;
}

/** Writes all fields of a page. */
export function updatePage({ sql }: Network, page: Page): void {
  sql.replace('pages', { ...page, ...columnsOf(page) });
}

export function deletePage({ sql }: Network, { directory, id }: Page): void {
  sql.run`
    delete from replies
    where directory = ${directory}
      and data_point in (select id from data_points where directory = ${directory} and page = ${id})`;
  sql.run`delete from data_points where directory = ${directory} and page = ${id}`;
  sql.run`delete from posts where directory = ${directory} and page = ${id}`;
  sql.run`delete from pages where directory = ${directory} and id = ${id}`;
}

const maxCandidates = 300;

/** About 200 metres, more than the distance that counts as the same address. */
const nearDegrees = 0.002;

/**
 * Pages that share a postal code, a phone number, a name, or the city and the first letters of the name. With another
 * postal code and phone number, only pages near the location: the others are branches, which never match.
 */
export function candidatePages({ sql }: Network, directory: string, sought: Profile): Page[] {
  const { nameKey: name, zipKey: zip, cityKey: city, phoneKey: phone } = keysOf(sought);
  const { lat = null, lng = null } = sought;
  const rows = sql.all<Row>`
    select * from pages where number in (
      select number from (
        select number from pages where directory = ${directory} and zip_key = ${zip} and zip_key <> '' limit ${maxCandidates})
      union select number from (
        select number from pages where directory = ${directory} and phone_key = ${phone} and phone_key <> ''
        limit ${maxCandidates})
      union select number from (
        select number from pages where directory = ${directory} and name_key = ${name} limit ${maxCandidates})
      union select number from (
        select number from pages where directory = ${directory} and city_key = ${city} and city_key <> ''
          and name_key >= substr(${name}, 1, 3) and name_key < substr(${name}, 1, 3) || char(1114111)
        limit ${maxCandidates})
    ) and kind = 'listing' and visible = 1
      and (zip_key in ('', ${zip}) or ${zip} = '' or (phone_key = ${phone} and phone_key <> '')
        or (abs((profile ->> 'lat') - ${lat}) < ${nearDegrees}
          and abs((profile ->> 'lng') - ${lng}) * ${longitudeScale(lat)} < ${nearDegrees}))`;
  return rows.map(pageOf);
}

/** Length of a degree of longitude relative to one of latitude. */
const longitudeScale = (lat: number | null) => Math.cos(((lat ?? 0) * Math.PI) / 180);

export function brandPages({ sql }: Network, directory: string, name: string): Page[] {
  const rows = sql.all<Row>`
    select * from pages where directory = ${directory} and kind = 'brand' and name_key = ${nameKey(name)}
    order by number`;
  return rows.map(pageOf);
}

export function listPages({ sql }: Network, directory: string | undefined, text: string, limit: number): Page[] {
  const rows = sql.all<Row>`
    select * from pages
    where kind = 'listing' and directory = coalesce(${directory ?? null}, directory)
      and name_key like '%' || ${nameKey(text)} || '%'
    order by number desc limit ${limit}`;
  return rows.map(pageOf);
}

/** Pages whose review is due. */
export function decidedPages({ sql }: Network, now: number): Page[] {
  return sql.all<Row>`select * from pages where decide_at <= ${now} order by decide_at, number`.map(pageOf);
}
