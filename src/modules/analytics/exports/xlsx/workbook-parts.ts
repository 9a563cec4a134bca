import { trimEndOf } from '../../../../text.ts';
import { xmlHeader, xmlText } from './xml-text.ts';

/** A written sheet with the data for other parts of the package. */
export interface WrittenSheet {
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

export const relationsXml = (relations: readonly { type: string; target: string }[]): string =>
  `${xmlHeader}<Relationships xmlns="${packageRelations}">${relations
    .map(({ type, target }, index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export const officeRelation = (kind: string) => `${officeRelations}/${kind}`;

export const rootRelationsXml = () =>
  relationsXml([
    { type: officeRelation('officeDocument'), target: 'xl/workbook.xml' },
    {
      type: 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties',
      target: 'docProps/core.xml',
    },
    { type: officeRelation('extended-properties'), target: 'docProps/app.xml' },
  ]);

export const workbookRelationsXml = (sheets: readonly WrittenSheet[]) =>
  relationsXml([
    ...sheets.map((_sheet, index) => ({
      type: officeRelation('worksheet'),
      target: `worksheets/sheet${index + 1}.xml`,
    })),
    { type: officeRelation('styles'), target: 'styles.xml' },
  ]);

/** Table headers are printed on every page. */
export function workbookXml(sheets: readonly WrittenSheet[]): string {
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

export function contentTypesXml(sheets: readonly WrittenSheet[], charts: number): string {
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

export const coreXml = ({ title, creator, created }: About) =>
  `${xmlHeader}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ` +
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  `<dc:title>${xmlText(title)}</dc:title><dc:creator>${xmlText(creator)}</dc:creator>` +
  `<dcterms:created xsi:type="dcterms:W3CDTF">${created.toISOString().slice(0, 19)}Z</dcterms:created></cp:coreProperties>`;

export const appXml = () =>
  `${xmlHeader}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>Waypost</Application></Properties>`;

/** Sheet names: at most 31 characters, no special characters, unique ignoring case. */
const maxNameLength = 31;

export function sheetName(title: string, usedNames: ReadonlySet<string>): string {
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
