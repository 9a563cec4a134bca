import { addAbortSignal, type PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { trimEndOf } from '../../../../text.ts';
import { type PageSheet, type Sheet, stylesXml, type TableSheet, xmlHeader, xmlText } from './sheet.ts';
import { chartXml, drawingXml, pageXml, RowSource, tableXml } from './sheet-xml.ts';

/** A written sheet with the data for other parts of the package. */
interface WrittenSheet {
  name: string;
  hasHeader: boolean;
  drawing?: number;
}

export interface About {
  title: string;
  creator: string;
  created: Date;
}

const mainNames = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const relationsXml = (relations: readonly { type: string; target: string }[]): string =>
  `${xmlHeader}<Relationships xmlns="${packageRelations}">${relations
    .map(({ type, target }, index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const officeRelation = (kind: string) => `${officeRelations}/${kind}`;

const rootRelationsXml = () =>
  relationsXml([
    { type: officeRelation('officeDocument'), target: 'xl/workbook.xml' },
    {
      type: 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties',
      target: 'docProps/core.xml',
    },
    { type: officeRelation('extended-properties'), target: 'docProps/app.xml' },
  ]);

const workbookRelationsXml = (sheets: readonly WrittenSheet[]) =>
  relationsXml([
    ...sheets.map((_sheet, index) => ({
      type: officeRelation('worksheet'),
      target: `worksheets/sheet${index + 1}.xml`,
    })),
    { type: officeRelation('styles'), target: 'styles.xml' },
  ]);

/** Table headers are printed on every page. */
function workbookXml(sheets: readonly WrittenSheet[]): string {
  const list = sheets.map(
    ({ name }, index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const titles = sheets.flatMap(({ name, hasHeader }, index) =>
    hasHeader
      ? [
          `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${xmlText(`'${name.replaceAll("'", "''")}'!$1:$1`)}</definedName>`,
        ]
      : [],
  );
  return (
    `${xmlHeader}<workbook xmlns="${mainNames}" xmlns:r="${officeRelations}"><bookViews><workbookView activeTab="0"/></bookViews>` +
    `<sheets>${list.join('')}</sheets>${titles.length > 0 ? `<definedNames>${titles.join('')}</definedNames>` : ''}</workbook>`
  );
}

function contentTypesXml(sheets: readonly WrittenSheet[], charts: number): string {
  const override = (part: string, type: string) => `<Override PartName="/${part}" ContentType="${type}"/>`;
  const drawings = sheets.flatMap(({ drawing }) => drawing ?? []);
  return (
    `${xmlHeader}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    override('xl/workbook.xml', `${spreadsheet}.sheet.main+xml`) +
    sheets
      .map((_sheet, index) => override(`xl/worksheets/sheet${index + 1}.xml`, `${spreadsheet}.worksheet+xml`))
      .join('') +
    override('xl/styles.xml', `${spreadsheet}.styles+xml`) +
    drawings
      .map((number) =>
        override(`xl/drawings/drawing${number}.xml`, 'application/vnd.openxmlformats-officedocument.drawing+xml'),
      )
      .join('') +
    Array.from({ length: charts }, (_, index) =>
      override(`xl/charts/chart${index + 1}.xml`, 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml'),
    ).join('') +
    override('docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml') +
    override('docProps/app.xml', 'application/vnd.openxmlformats-officedocument.extended-properties+xml') +
    '</Types>'
  );
}

const coreXml = ({ title, creator, created }: About) =>
  `${xmlHeader}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ` +
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  `<dc:title>${xmlText(title)}</dc:title><dc:creator>${xmlText(creator)}</dc:creator>` +
  `<dcterms:created xsi:type="dcterms:W3CDTF">${created.toISOString().slice(0, 19)}Z</dcterms:created></cp:coreProperties>`;

const appXml = () =>
  `${xmlHeader}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>Waypost</Application></Properties>`;

/** Sheet names: at most 31 characters, no special characters, unique ignoring case. */
const maxNameLength = 31;

function sheetName(title: string, usedNames: ReadonlySet<string>): string {
  const clean = trimEndOf(title.replace(/[[\]:*?/\\\p{Cc}]/gu, ' ').replace(/^'+/, ''), /'/).trim() || 'Sheet';
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` (${number})`;
    const name = `${cut(clean, maxNameLength - suffix.length)}${suffix}`;
    if (!usedNames.has(name.toLowerCase())) return name;
  }
}

const cut = (text: string, length: number) =>
  text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();

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
