import type { Sql } from '../../../database/connection.ts';
import type { DatapointType } from './datapoint.ts';

export interface DatapointText {
  id: number;
  type: DatapointType;
  text: string | null;
  language: string | null;
}

/** What was written; the datapoints stay as they are until the transaction ends. */
export async function holdTexts(sql: Sql, ids: readonly number[]): Promise<DatapointText[]> {
  const { rows } = await sql.query<DatapointText>(
    `select id, type, text, language from datapoints where id = any ($1::bigint[]) order by id for no key update`,
    [ids],
  );
  return rows;
}
