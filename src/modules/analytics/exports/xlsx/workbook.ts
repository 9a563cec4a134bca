import { addAbortSignal, type PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { chartXml, drawingXml } from './chart-xml.ts';
import type { PageSheet, Sheet, TableSheet } from './sheet.ts';
import { pageXml, RowSource, tableXml } from './sheet-xml.ts';
import { stylesXml } from './styles.ts';
import {
  type About,
  appXml,
  contentTypesXml,
  coreXml,
  officeRelation,
  relationsXml,
  rootRelationsXml,
  sheetName,
  type WrittenSheet,
  workbookRelationsXml,
  workbookXml,
} from './workbook-parts.ts';

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Rows of one sheet, the header included. */
const excelRows = 1_048_576;
/** XML compresses twelvefold at the lowest level already; the highest would cost five times the time for a fifth. */
const compressionLevel = 2;

interface Part {
  path: string;
  content: Iterable<string> | AsyncIterable<string>;
}

/**
 * A workbook as it is read: a row is asked for when there is room for it, and nothing is kept but the piece in hand. One
 * that is destroyed lets go of what its rows come from.
 */
export function workbook(
  sheets: Iterable<Sheet> | AsyncIterable<Sheet>,
  about: About,
  { rowsPerSheet = excelRows }: { rowsPerSheet?: number } = {},
): Readable {
  return Readable.from(packed(partsOf(sheets, about, rowsPerSheet), about.created), { objectMode: false });
}

async function* packed(parts: AsyncIterable<Part>, mtime: Date): AsyncGenerator<Buffer> {
  const archive = new ZipFile();
  const output = archive.outputStream as PassThrough;
  const left = new AbortController();
  archive.on('error', (error) => output.destroy(error));
  const packing = packParts(archive, parts, { mtime, signal: left.signal });
  packing.catch((error) => output.destroy(error));
  try {
    yield* output;
  } finally {
    left.abort();
    await packing.catch(() => {});
  }
}

/** One part after the other: what a part looks like may depend on those before it. */
async function packParts(
  archive: ZipFile,
  parts: AsyncIterable<Part>,
  { mtime, signal }: { mtime: Date; signal: AbortSignal },
): Promise<void> {
  for await (const { path, content } of parts) {
    const stream = addAbortSignal(signal, Readable.from(bytesOf(content), { objectMode: false }));
    archive.addReadStream(stream, path, { compressionLevel, mtime, forceDosTimestamp: true });
    await finished(stream);
  }
  archive.end();
}

async function* bytesOf(content: Part['content']): AsyncGenerator<Buffer> {
  for await (const text of content) yield Buffer.from(text);
}

async function* partsOf(
  sheets: Iterable<Sheet> | AsyncIterable<Sheet>,
  about: About,
  rowsPerSheet: number,
): AsyncGenerator<Part> {
  const written: WrittenSheet[] = [];
  const taken = new Set<string>();
  let charts = 0;
  const part = (path: string, ...content: string[]): Part => ({ path, content });
  const nameFor = (wanted: string) => {
    const name = sheetName(wanted, taken);
    taken.add(name.toLowerCase());
    return name;
  };
  yield part('_rels/.rels', rootRelationsXml());
  yield part('docProps/core.xml', coreXml(about));
  yield part('docProps/app.xml', appXml());
  yield part('xl/styles.xml', stylesXml());
  for await (const sheet of sheets) {
    if (sheet.kind === 'table') {
      for await (const content of tablePieces(sheet, rowsPerSheet, written.length === 0)) {
        written.push({ name: nameFor(sheet.name), hasHeader: true });
        yield { path: `xl/worksheets/sheet${written.length}.xml`, content };
      }
      continue;
    }
    const page: PageSheet = { ...sheet, name: nameFor(sheet.name) };
    const number = written.length + 1;
    const drawing = page.charts.length > 0;
    yield part(`xl/worksheets/sheet${number}.xml`, pageXml(page, number === 1));
    written.push({ name: page.name, hasHeader: false, ...(drawing && { drawing: number }) });
    if (!drawing) continue;
    const targets = page.charts.map((_chart, index) => `../charts/chart${charts + index + 1}.xml`);
    const relation = (kind: string) => (target: string) => ({ type: officeRelation(kind), target });
    yield part(
      `xl/worksheets/_rels/sheet${number}.xml.rels`,
      relationsXml([`../drawings/drawing${number}.xml`].map(relation('drawing'))),
    );
    yield part(`xl/drawings/drawing${number}.xml`, drawingXml(page.charts));
    yield part(`xl/drawings/_rels/drawing${number}.xml.rels`, relationsXml(targets.map(relation('chart'))));
    for (const chart of page.charts) {
      charts += 1;
      yield part(`xl/charts/chart${charts}.xml`, chartXml(chart, page));
    }
  }
  yield part('xl/workbook.xml', workbookXml(written));
  yield part('xl/_rels/workbook.xml.rels', workbookRelationsXml(written));
  yield part('[Content_Types].xml', contentTypesXml(written, charts));
}

/** The sheets that a table fills: one, or as many as its rows need. */
async function* tablePieces(
  table: TableSheet,
  rowsPerSheet: number,
  isFirst: boolean,
): AsyncGenerator<AsyncIterable<string>> {
  const rows = new RowSource(table.rows);
  try {
    let pieces = 0;
    do {
      yield tableXml(table, rows, { rowsPerSheet, isFirst: isFirst && pieces === 0 });
      pieces += 1;
    } while (!(await rows.isAtEnd()));
  } finally {
    await rows.close();
  }
}
