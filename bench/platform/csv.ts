/** Throughput and memory of CSV imports; memory must be the same for small and large files. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../src/database/connection.ts';
import { categoryId } from '../../src/modules/catalog/categories/category.ts';
import { Child } from '../delivery/child.ts';

export interface ImportRate {
  rows: number;
  fileMiB: number;
  rowsPerSecond: number;
  /** Peak resident set size. */
  peakMiB: number;
}

/** Imports files of these sizes sequentially, each in a new process. */
export async function importRate(
  database: Database,
  partner: { id: number; identifier: string },
  sizes: readonly number[],
): Promise<ImportRate[]> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-csv-'));
  const rates: ImportRate[] = [];
  try {
    const { rows: businesses } = await database.pool.query<{ id: number }>(
      `insert into businesses (partner_id, name, status) values ($1, 'Imported', 'ACTIVE') returning id`,
      [partner.id],
    );
    for (const rows of sizes) {
      const file = join(folder, `${rows}.csv`);
      await pipeline(Readable.from(lines(rows, businesses[0]?.id ?? 0)), createWriteStream(file));
      const order = JSON.stringify({ url: database.url, folder, file, partner });
      const importer = new Child<never>('../platform/csv-child.ts', [order]);
      rates.push({ rows, ...(await importer.next<Omit<ImportRate, 'rows'>>()) });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return rates;
}

/** Quoted where needed. */
const line = (cells: readonly (string | number)[]) =>
  `${cells.map((cell) => (String(cell).includes(',') ? `"${cell}"` : cell)).join(',')}\r\n`;

/** A typical row: address, phone, hours and a description. */
function* lines(rows: number, businessId: number): Generator<string> {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
  const hours = days.flatMap((day) => [`${day}From1`, `${day}To1`]);
  const columns = ['identifier', 'businessId', 'name', 'street', 'streetNo', 'zip', 'city', 'country', 'lat', 'lng'];
  yield line([...columns, 'phone', 'website', 'categories', 'keywords', 'descriptionShort', ...hours]);
  const category = categoryId('shop/bakery');
  for (let row = 0; row < rows; row += 1) {
    yield line([
      `csv-${rows}-${row}`,
      businessId,
      row % 10 === 0 ? `Shop, number ${row}` : `Shop ${row}`,
      `Street ${row % 500}`,
      row % 200,
      String(10_115 + (row % 80_000)).padStart(5, '0'),
      `City ${row % 400}`,
      'DE',
      (47.5 + (row % 700) / 100).toFixed(4),
      (6 + (row % 900) / 100).toFixed(4),
      `+4930${901_000 + (row % 99_000)}`,
      `https://shop${row}.example`,
      category,
      'bread|rolls|cake',
      `A shop with many good things, number ${row}`,
      ...days.flatMap(() => ['09:00', '18:00']),
    ]);
  }
}
