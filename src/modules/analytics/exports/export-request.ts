import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { type Group, lengthOf, periodOf, periodsOf, type Span } from '../../../values/span.ts';
import { directoryList } from '../../directories/index.ts';
import { countScope, readScope, type ScopeQuery } from '../../locations/index.ts';
import { dataAvailability } from '../dashboard/insights/data-availability.ts';
import type { Choice } from './report-figures.ts';
import type { Language } from './texts/report-texts.ts';

export const exportFormats = ['xlsx', 'pdf'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export type ExportType = 'DASHBOARD' | 'INSIGHTS' | 'REPORT';

/** What an export is to hold: everything that is needed to make it, whoever does. */
export interface ExportRequest extends Choice {
  type: ExportType;
  format: ExportFormat;
  language: Language;
}

export interface Given extends ScopeQuery {
  type: ExportType;
  format?: ExportFormat;
  language: Language;
  span: Span;
  group?: Group;
  directoryTypes?: readonly string[];
  metrics?: readonly string[];
}

/** How many rows an export may come to, and the request for it. */
export interface Planned {
  request: ExportRequest;
  rows: number;
}

const counting = directoryList.filter(({ metrics }) => metrics.length > 0);

/** Makes a request of what was asked for, and refuses what cannot be or is too much. */
export async function planExport(
  sql: Sql,
  caller: Caller,
  given: Given,
  { mostRows, directoriesField = 'directoryTypes' }: { mostRows: number; directoriesField?: string },
): Promise<Planned> {
  const { type, span, format = 'xlsx', language } = given;
  const group = given.group ?? usualGroup(type, span);
  const directoryTypes = readDirectories(given.directoryTypes, directoriesField);
  const metrics = readMetrics(given.metrics, directoryTypes);
  const scope = await readScope(sql, caller, given);
  const choice = { scope, span, group, directoryTypes, ...(metrics && { metrics }) };
  const request: ExportRequest = { type, format, language, ...choice };
  const rows = await rowsOf(sql, request);
  if (rows > mostRows) throw tooLarge(rows, mostRows);
  return { request, rows };
}

/** As many periods as can be looked at: days up to two months, weeks up to half a year, months beyond. */
function usualGroup(type: ExportType, span: Span): Group {
  const days = lengthOf(span);
  if (type === 'INSIGHTS' || days <= 62) return 'DAY';
  return days <= 200 ? 'WEEK' : 'MONTH';
}

/** At the most: a row for each location, and for insights for each of their periods within what is known. */
async function rowsOf(sql: Sql, { type, scope, span, group, directoryTypes = [] }: ExportRequest): Promise<number> {
  const locations = await countScope(sql, scope);
  if (type !== 'INSIGHTS') return locations;
  const known = await dataAvailability(sql, scope, directoryTypes);
  const periods = periodsOf(span, group);
  const counts = known.map(({ availableFrom, availableUntil }) => {
    const [first, last] = [periodOf(availableFrom, group), periodOf(availableUntil, group)];
    return periods.filter((period) => period >= first && period <= last).length;
  });
  return locations * counts.reduce((sum, count) => sum + count, 0);
}

function readDirectories(asked: readonly string[] | undefined, field: string): string[] {
  const known = counting.map(({ type }) => type);
  const wanted = asked?.map((type) => type.toUpperCase());
  const unknown = wanted?.filter((type) => !known.includes(type)) ?? [];
  if (unknown.length === 0) return wanted ? [...new Set(wanted)] : known;
  throw invalidField(
    field,
    'enum',
    `${field} must be one or more of ${known.join(', ')}, the directories that have insights; not ${unknown.join(', ')}.`,
  );
}

function readMetrics(asked: readonly string[] | undefined, directoryTypes: readonly string[]): string[] | undefined {
  if (!asked) return undefined;
  const known = counting.filter(({ type }) => directoryTypes.includes(type)).flatMap(({ metrics }) => metrics);
  const wanted = [...new Set(asked.map((metric) => metric.toUpperCase()))];
  const unknown = wanted.filter((metric) => !known.includes(metric));
  if (unknown.length === 0) return wanted;
  throw invalidField(
    'metrics',
    'enum',
    `metrics of ${directoryTypes.join(', ')} are ${[...new Set(known)].join(', ')}; not ${unknown.join(', ')}.`,
  );
}

const tooLarge = (rows: number, mostRows: number) =>
  new Problem('EXPORT_TOO_LARGE', {
    message:
      `This export may have ${rows} rows, and ${mostRows} are allowed. Choose fewer locations, directories or days, ` +
      'or longer periods by group; or have WAYPOST_EXPORT_LIMIT raised.',
  });
