import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem, type unknownReference } from '../../../problems.ts';
import { type Group, groups, lengthOf, periodOf, periodsOf, type Span, spanQuery } from '../../../values/span.ts';
import { type Directory, directoryList } from '../../directories/index.ts';
import { countScope, readScope, type ScopeQuery, scopeQuery } from '../../locations/index.ts';
import { readNames } from '../dashboard/dashboard-query.ts';
import { dataAvailability } from '../dashboard/insights/data-availability.ts';
import type { FigureSelection } from './report-figures.ts';
import { type Language, reportLanguages, textsIn } from './texts/report-texts.ts';

const names = { maxItems: 100 };

/** Shared by queries and bodies. */
export const exportFields = {
  ...scopeQuery,
  group: Type.Optional(
    Type.Enum([...groups], {
      description: 'Length of a period. Defaults to DAY for insights, otherwise depends on the span',
    }),
  ),
  language: Type.Enum([...reportLanguages], {
    default: 'en',
    description: 'Language of titles, headers and metric names',
  }),
};

const metrics = Type.Optional(
  Type.Array(Type.String({ maxLength: 100 }), {
    ...names,
    description: 'Metrics such as CALL_CLICKS. Defaults to all metrics of the directories',
    examples: [['CALL_CLICKS', 'WEBSITE_CLICKS']],
  }),
);
const directories = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { ...names, description, examples: [['GOOGLE']] }));

const includedDirectories =
  'Directories to include in all figures. Defaults to all directories, and for insights to all directories with insights';

/** `type` selects directories, as on the dashboard. */
export const exportQuery = Type.Object({
  ...exportFields,
  ...spanQuery,
  type: directories(includedDirectories),
  metrics,
});

export const exportName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name of the file. Defaults to the type and the dates',
  }),
);

export const excelExportBody = Type.Object({
  name: exportName,
  type: Type.Optional(
    Type.Enum(['DASHBOARD', 'INSIGHTS'], {
      default: 'DASHBOARD',
      description: 'The whole dashboard, or insights by location and period',
    }),
  ),
  ...exportFields,
  language: Type.Optional(exportFields.language),
  ...spanQuery,
  directoryTypes: directories(includedDirectories),
  metrics,
});

export const exportFormats = ['xlsx', 'pdf'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export type ExportType = 'DASHBOARD' | 'INSIGHTS' | 'REPORT';

/** Everything that a worker needs to create the export. */
export interface ExportRequest extends FigureSelection {
  type: ExportType;
  format: ExportFormat;
  language: Language;
}

/** In the language of the export. */
export function titleOf({ type, language }: Pick<ExportRequest, 'type' | 'language'>): string {
  const { dashboardTitle, insightsTitle, reportTitle } = textsIn(language);
  return { DASHBOARD: dashboardTitle, INSIGHTS: insightsTitle, REPORT: reportTitle }[type];
}

export type ExportOptions = ScopeQuery &
  Pick<ExportRequest, 'type' | 'language' | 'span' | 'directoryTypes' | 'metrics'> &
  Partial<Pick<ExportRequest, 'format' | 'group'>>;

interface PlanOptions {
  maxRows: number;
  directoriesField?: string;
  /** The problem for an unknown location or business; by default, that of a filter. */
  missing?: typeof unknownReference;
}

const insightDirectories = directoryList.filter(({ metrics }) => metrics.length > 0);

/** Validates the options. Returns the request and its maximum number of rows. Throws if the export would be too large. */
export async function planExport(
  sql: Sql,
  caller: Caller,
  options: ExportOptions,
  { maxRows, directoriesField = 'directoryTypes', missing }: PlanOptions,
) {
  const { type, span, format = 'xlsx', language } = options;
  const group = options.group ?? defaultGroup(type, span);
  const known = type === 'INSIGHTS' ? insightDirectories : directoryList;
  const directoryTypes = readDirectories(options.directoryTypes, directoriesField, known);
  const metrics = options.metrics && readMetrics(options.metrics, directoryTypes);
  const scope = await readScope(sql, caller, options, missing);
  const onlyDirectories = options.directoryTypes && directoryTypes;
  const request: ExportRequest = {
    type,
    format,
    language,
    scope,
    span,
    group,
    directoryTypes,
    ...(onlyDirectories && { onlyDirectories }),
    ...(onlyDirectories?.length === 1 && { onlyDirectory: onlyDirectories[0] as string }),
    ...(metrics && { metrics }),
  };
  const rows = await rowsOf(sql, request);
  if (rows > maxRows) throw tooLarge(rows, maxRows);
  return { request, rows };
}

/** Days up to two months, weeks up to half a year, months beyond. */
function defaultGroup(type: ExportType, span: Span): Group {
  const days = lengthOf(span);
  if (type === 'INSIGHTS' || days <= 62) return 'DAY';
  return days <= 200 ? 'WEEK' : 'MONTH';
}

/** Upper bound: one row per location, for insights one per location and period with data. */
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

function readDirectories(
  requested: readonly string[] | undefined,
  field: string,
  selectable: readonly Directory[],
): string[] {
  if (!requested) return insightDirectories.map(({ type }) => type);
  const known = selectable.map(({ type }) => type);
  const names = requested.map((type) => type.toUpperCase());
  const label = selectable === insightDirectories ? 'directories with insights: ' : 'directories: ';
  return readNames(field, names, known, label);
}

function readMetrics(requested: readonly string[], directoryTypes: readonly string[]): string[] {
  const known = insightDirectories
    .filter(({ type }) => directoryTypes.includes(type))
    .flatMap(({ metrics }) => metrics);
  const names = [...new Set(requested.map((metric) => metric.toUpperCase()))];
  return readNames('metrics', names, known, `metrics of ${directoryTypes.join(', ')}: `);
}

const tooLarge = (rows: number, maxRows: number) =>
  new Problem('EXPORT_TOO_LARGE', {
    message:
      `The export may have ${rows} rows; at most ${maxRows} are allowed. Select fewer locations, directories or days, ` +
      'or a longer group, or ask the operator to raise WAYPOST_EXPORT_LIMIT.',
  });
