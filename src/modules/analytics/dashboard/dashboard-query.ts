import Type from 'typebox';
import { invalidField } from '../../../problems.ts';
import { groups } from '../../../values/span.ts';
import { type Directory, directoryList } from '../../directories/index.ts';

/** Shared by the routes of all figures. */
export const figuresRoute = {
  method: 'GET',
  reads: 'replica',
  needs: 'DASHBOARD_READ',
  problems: ['NOT_FOUND'],
} as const;

export const count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
export const matchedLocationsCount = count('Number of locations in the figures');
export const Period = Type.String({ description: 'First day of the period', examples: ['2026-11-01'] });

const OneDirectory = Type.String({ maxLength: 50, description: 'A directory, such as GOOGLE', examples: ['GOOGLE'] });

export const directoryQuery = { type: Type.Optional(OneDirectory) };
export const oneDirectoryQuery = { type: OneDirectory };

const unusedText = 'Accepted as on the other figures of the dashboard, without effect';
const unused = {
  type: Type.Optional(Type.String({ maxLength: 50, description: unusedText })),
  startDate: Type.Optional(Type.String({ maxLength: 10, description: unusedText })),
  endDate: Type.Optional(Type.String({ maxLength: 10, description: unusedText })),
  group: Type.Optional(Type.Enum([...groups], { description: unusedText })),
};

/** The parameters of other figures: clients send the same query to all figures of the dashboard. */
export const unusedGroup = { group: unused.group };
export const unusedSpan = { startDate: unused.startDate, endDate: unused.endDate, ...unusedGroup };
export const unusedDirectory = { type: unused.type };

export function warnOfUnused(request: { query: object; warnings: string[] }, parameters: object): void {
  const given = Object.keys(parameters).filter((name) => Object.hasOwn(request.query, name));
  if (given.length > 0) warnOnce(request, `These parameters have no effect on this figure: ${given.join(', ')}.`);
}

/** The handler runs again on the primary if it fails on the replica. */
export function warnOnce({ warnings }: { warnings: string[] }, warning: string): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}

/** The requested directory, or all if there is none. `has` restricts the accepted directories. */
export const readDirectories = (name: string | undefined, has: (directory: Directory) => boolean): Directory[] =>
  name === undefined ? directoryList.filter(has) : [readDirectory(name, has)];

export function readDirectory(name: string, has: (directory: Directory) => boolean = () => true): Directory {
  const possible = directoryList.filter(has);
  const directory = possible.find(({ type }) => type === name.toUpperCase());
  if (directory) return directory;
  const names = possible.map(({ type }) => type).join(', ');
  throw invalidField('type', 'enum', `type must be one of ${names}. "${name}" is not supported.`);
}

/** Undefined for all directories. */
export const directoryTypesOf = ({ type }: { type?: string }): string[] | undefined =>
  type === undefined ? undefined : [readDirectory(type).type];

/** Defaults to all metrics of the directory. */
export function readMetrics(
  requested: readonly string[] | undefined,
  { type, metrics }: Pick<Directory, 'type' | 'metrics'>,
): string[] {
  if (requested?.length && metrics.length === 0) throw invalidField('metrics', 'enum', `${type} has no metrics.`);
  return readNames('metrics', requested ?? metrics, metrics, `metrics of ${type}: `);
}

/** Removes duplicates. `what` describes the known names in the error. */
export function readNames(field: string, given: readonly string[], known: readonly string[], what = ''): string[] {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return [...new Set(given)];
  const message = `${field} must contain only ${what}${[...new Set(known)].join(', ')}. ${unknown.join(', ')} is not supported.`;
  throw invalidField(field, 'enum', message);
}
