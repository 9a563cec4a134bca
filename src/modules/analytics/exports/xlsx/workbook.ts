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

/** Rows per sheet including the header. */
const excelRows = 1_048_576;
/** Level 2 compresses XML 12:1. The highest level takes five times as long and saves a fifth. */
const compressionLevel = 2;

interface Part {
  path: string;
  content: Iterable<string> | AsyncIterable<string>;
}

/** Streams a workbook with backpressure: rows are read on demand. Destroying the stream releases the row sources. */
export function workbook(
  sheets: Iterable<Sheet> | AsyncIterable<Sheet>,
  about: About,
  { rowsPerSheet = excelRows }: { rowsPerSheet?: number } = {},
): Readable {
  return Readable.from(zipped(partsOf(sheets, about, rowsPerSheet), about.created), { objectMode: false });
}

async function* zipped(parts: AsyncIterable<Part>, mtime: Date): AsyncGenerator<Buffer> {
  const archive = new ZipFile();
  const output = archive.outputStream as PassThrough;
  const aborted = new AbortController();
  archive.on('error', (error) => output.destroy(error));
  const packing = packParts(archive, parts, { mtime, signal: aborted.signal });
  packing.catch((error) => output.destroy(error));
  try {
    yield* output;
  } finally {
    aborted.abort();
    await packing.catch(() => {});
  }
}

/** Sequential: parts may depend on those before. */
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
  const usedNames = new Set<string>();
  let charts = 0;
  const part = (path: string, ...content: string[]): Part => ({ path, content });
  const nameFor = (title: string) => {
    const name = sheetName(title, usedNames);
    usedNames.add(name.toLowerCase());
    return name;
  };
  yield part('_rels/.rels', rootRelationsXml());
  yield part('docProps/core.xml', coreXml(about));
  yield part('docProps/app.xml', appXml());
  yield part('xl/styles.xml', stylesXml());
  for await (const sheet of sheets) {
    if (sheet.kind === 'table') {
      for await (const content of tableSheets(sheet, rowsPerSheet, written.length === 0)) {
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

/** One sheet, or several if the table is longer. */
async function* tableSheets(
  table: TableSheet,
  rowsPerSheet: number,
  isFirst: boolean,
): AsyncGenerator<AsyncIterable<string>> {
  const rows = new RowSource(table.rows);
  try {
    let count = 0;
    do {
      yield tableXml(table, rows, { rowsPerSheet, isFirst: isFirst && count === 0 });
      count += 1;
    } while (!(await rows.isAtEnd()));
  } finally {
    await rows.close();
  }
}
