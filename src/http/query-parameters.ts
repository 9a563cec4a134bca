import { parse, unescape as unescapeText } from 'node:querystring';
import { closest, distance } from 'fastest-levenshtein';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { propertiesOf } from '../json-schema.ts';
import { type FieldError, Problem } from '../problems.ts';
import type { Access } from './access.ts';

type Given = Record<string, unknown>;

/** Texts are stored composed (NFC), see `normalizeText`. */
const decode = (text: string) => unescapeText(text).normalize('NFC');

/** Parses a query string. `ids[]=1` and `ids[0]=1` (PHP) mean `ids=1`. */
export function parseQuery(text: string): Given {
  const query: Given = Object.create(null);
  for (const [name, value] of Object.entries(parse(text, '&', '=', { maxKeys: 0, decodeURIComponent: decode }))) {
    const plain = name.replace(/\[\d*\]$/, '');
    query[plain] = Object.hasOwn(query, plain) ? [query[plain], value].flat() : value;
  }
  return query;
}

interface Known {
  parameters: readonly { name: string; names: readonly string[]; isFilter: boolean; maximum?: number }[];
  names: ReadonlySet<string>;
}

const knownOf = new WeakMap<TSchema, Known>();

/** The parameters of a schema with their aliases. Lists accept the singular and the plural. */
function knownIn(schema: TSchema): Known {
  const cached = knownOf.get(schema);
  if (cached) return cached;
  const properties = propertiesOf(schema);
  const parameters = Object.entries(properties).map(([name, { type, maximum, 'x-also': others = [] }]) => {
    const also = [...others, ...(type === 'array' ? singularOrPluralOf(name) : [])];
    return {
      name,
      names: [name, ...also.filter((one) => !Object.hasOwn(properties, one))],
      isFilter: type === 'array' && name !== 'fieldMask',
      ...(maximum !== undefined && { maximum }),
    };
  });
  const known = { parameters, names: new Set(parameters.flatMap(({ names }) => names)) };
  knownOf.set(schema, known);
  return known;
}

function singularOrPluralOf(name: string): string[] {
  if (/ies$/.test(name)) return [name.replace(/ies$/, 'y')];
  if (/[^su]s$/.test(name)) return [name.slice(0, -1)];
  return [/y$/.test(name) ? name.replace(/y$/, 'ies') : /s$/.test(name) ? `${name}es` : `${name}s`];
}

const noParameters: Known = { parameters: [], names: new Set() };

/** Replaces aliases by canonical names; values under several names are joined to a list. */
export function withCanonicalNames(schema: TSchema, given: Given): Given {
  let query = given;
  for (const { name, names } of knownIn(schema).parameters) {
    const values = names.flatMap((one) => (Object.hasOwn(given, one) ? [given[one]] : []));
    if (values.length > 0) query = { ...query, [name]: values.length > 1 ? values.flat() : values[0] };
  }
  return query;
}

/** A larger page size is capped, with a warning. */
const pageSizes = ['max', 'size'];

/**
 * Rejects unknown parameters and empty lists: a mistyped filter must not match everything. Public routes ignore them,
 * because websites add parameters of their own and submit forms with empty fields.
 */
export function checkQuery(request: FastifyRequest, access: Access, schema: TSchema | undefined): void {
  const { parameters, names } = schema ? knownIn(schema) : noParameters;
  const everywhere = access === 'public' ? ['v', 'publicKey', 'language'] : ['v'];
  const query = request.query as Given;
  const unknown = Object.keys(query).filter(
    (name) => !names.has(name) && !everywhere.includes(name) && !isTracking(name),
  );
  if (unknown.length > 0 && access === 'public') request.warnings.push(ignoredWarning('query parameter', unknown));
  else if (unknown.length > 0) {
    throw new Problem('INVALID_PARAMETER', { errors: unknown.slice(0, 20).map((name) => unknownName(name, names)) });
  }
  const empty = parameters.flatMap(({ names: all, isFilter }) =>
    isFilter ? all.filter((one) => isEmpty(query[one])) : [],
  );
  if (empty.length > 0 && access !== 'public') throw new Problem('INVALID_PARAMETER', { errors: empty.map(emptyList) });
  for (const { name, maximum } of parameters) {
    const value = query[name];
    if (maximum === undefined || !pageSizes.includes(name) || typeof value !== 'string') continue;
    if (!/^\d+$/.test(value) || Number(value) <= maximum) continue;
    request.query = { ...query, [name]: String(maximum) };
    request.warnings.push(cappedWarning(name, value, maximum));
  }
}

const isEmpty = (value: unknown) =>
  value !== undefined && [value].flat().every((text) => /^[\s,]*$/.test(String(text)));

const emptyList = (name: string): FieldError => ({
  field: name,
  rule: 'minItems',
  message: `${name} is empty. Send at least one value, or omit the parameter.`,
});

/** The largest page size of a list, and advice for larger pages. */
export interface PageLimit {
  limit: number;
  hint?: string;
}

/** Caps the page size of a list whose limit depends on the request. */
export function capPageSize(request: FastifyRequest, { limit, hint }: PageLimit): void {
  const query = request.query as { max: number };
  if (query.max <= limit) return;
  request.query = { ...query, max: limit };
  request.warnings.push(cappedWarning('max', query.max, limit, hint));
}

const cappedWarning = (name: string, asked: string | number, limit: number, hint = '') =>
  `${name}=${asked} was capped at ${limit}, the limit of this list${hint}.`;

export const ignoredWarning = (noun: string, names: readonly string[]) => {
  const more = names.length - maxNames;
  return (
    `Unknown ${noun}${names.length > 1 ? 's' : ''} ignored: ${names.slice(0, maxNames).join(', ')}` +
    `${more > 0 ? ` and ${more} more` : ''}.`
  );
};

const maxNames = 50;

/** Added by cache busters and campaigns. */
const isTracking = (name: string) => name === '_' || name.startsWith('utm_');

function unknownName(name: string, known: ReadonlySet<string>): FieldError {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const names = [...known];
  const nearest = names.length > 0 ? closest(name.slice(0, 60).toLowerCase(), names) : undefined;
  const isNear = nearest !== undefined && distance(name.slice(0, 60).toLowerCase(), nearest) <= nearest.length / 2 + 1;
  const hint = isNear ? ` Did you mean ${nearest}?` : '';
  const list = names.length > 0 ? ` Known parameters: ${names.join(', ')}.` : ' This endpoint has no query parameters.';
  return { field: shown, rule: 'known', message: `${shown} is not a known query parameter.${hint}${list}` };
}
