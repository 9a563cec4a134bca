import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationProblem } from '../../config.ts';
import { cellOfId } from '../../database/cell.ts';
import type { Sql } from '../../database/connection.ts';
import { isOwnedBy, type PartnerTable } from './partner-tables.ts';

export interface RoutingEntry {
  /** The file of deploy/cells/. */
  map: 'credentials.map' | 'emails.map' | 'webhooks.map';
  key: string;
  /** The cell to which the load balancer sends it without an entry. */
  defaultCell: number | undefined;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const cellOfCredential = (credential: string) => Number(/^c(\d{1,3})~/.exec(credential)?.[1] ?? 0);

/** The columns with credentials that the load balancer routes. Stored hashes are SHA-256. */
const plainCredentials = { sales_partners: 'public_key', store_finders: 'store_key', assets: 'access_token' } as const;
const hashedCredentials = { partner_keys: 'hash', near_me_reports: 'token_hash', user_sessions: 'token_hash' } as const;

/** All keys by which the load balancer routes requests of these partners. */
export async function routingEntries(
  sql: Sql,
  tables: readonly PartnerTable[],
  partnerIds: readonly number[],
): Promise<RoutingEntry[]> {
  const read = async (name: string, expression: string) => {
    const table = tables.find(({ table }) => table === name) as PartnerTable;
    const id = table.columns.includes('id') ? 'id' : 'null::bigint';
    const { rows } = await sql.query<{ value: string; id: number | null }>(
      `select ${expression} as value, ${id} as id from ${table.name}
       where ${expression} is not null and ${isOwnedBy(table, partnerIds)} order by 1`,
    );
    return rows;
  };
  const entries: RoutingEntry[] = [];
  for (const [table, column] of Object.entries(plainCredentials)) {
    for (const { value } of await read(table, column))
      entries.push({ map: 'credentials.map', key: sha256(value), defaultCell: cellOfCredential(value) });
  }
  for (const [table, column] of Object.entries(hashedCredentials)) {
    // The prefix is that of the cell which created the row. Sessions have no id.
    for (const { value, id } of await read(table, `encode(${column}, 'hex')`))
      entries.push({ map: 'credentials.map', key: value, defaultCell: id === null ? undefined : cellOfId(id) });
  }
  for (const { value } of await read('users', 'lower(email)'))
    entries.push({ map: 'emails.map', key: sha256(value), defaultCell: 0 });
  for (const { value } of await read('webhooks', 'id::text'))
    entries.push({ map: 'webhooks.map', key: value, defaultCell: cellOfId(Number(value)) });
  return entries;
}

/** Replaces the entries in the files of a folder. Other lines are kept. */
export async function writeMaps(folder: string, entries: readonly RoutingEntry[], cell: number): Promise<void> {
  for (const map of ['credentials.map', 'emails.map', 'webhooks.map'] as const) {
    const path = join(folder, map);
    const own = entries.filter((entry) => entry.map === map);
    const keys = new Set(own.map(({ key }) => key));
    try {
      const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
      const kept = lines.filter((line) => !keys.has(line.split(' ', 1)[0] ?? ''));
      const added = own.filter(({ defaultCell }) => defaultCell !== cell).map(({ key }) => `${key} ${cell}`);
      await writeFile(`${path}.new`, [...kept, ...new Set(added)].map((line) => `${line}\n`).join(''), { flush: true });
      await rename(`${path}.new`, path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ConfigurationProblem(`${path} cannot be changed (${code}). Set --maps to the folder of the maps.`);
    }
  }
}

/** Runs the command that reloads the load balancer. */
export async function reload(command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new ConfigurationProblem(`The command of --reload failed with exit code ${code}: ${command}`);
}
