import Type, { type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { type FieldError, fieldError, Problem } from '../../problems.ts';
import { type EventTypeName, eventTypes } from '../catalogue/catalogue.ts';
import { commonFields } from '../catalogue/event-type.ts';

type Value = string | number | boolean | null;

/** A condition on the fields of an event. A list matches if one of its entries does. */
export type Filter =
  | { all: Filter[] }
  | { any: Filter[] }
  | { not: Filter }
  | { field: string; equals: Value }
  | { field: string; in: Value[] }
  | { field: string; exists: boolean }
  | { field: string; greater: number }
  | { field: string; less: number };

const maxDepth = 5;
const maxConditions = 50;
const maxValues = 500;
const maxTextLength = 1000;
const maxErrors = 20;

const operators = ['equals', 'in', 'exists', 'greater', 'less'] as const;
type Operator = (typeof operators)[number];
const groups = ['all', 'any', 'not'] as const;

export const FilterField = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Only events that match are sent. A condition is {"field": name, operator: value} with the operator equals, in, ' +
    'exists, greater or less. {"all": [...]}, {"any": [...]} and {"not": condition} combine conditions. Besides the ' +
    'fields of the event type, business, labels and directoryType are available if the event has a location or listing. ' +
    'Example: {"any": [{"field": "updateResult", "in": ["FAILURE", "UNDEFINED"]}, {"field": "labels", "equals": 12}]}',
});

const id = Type.Integer({ minimum: 1 });

/** The fields that a filter of this type can use; see filter_fields() in the database. */
export function filterFields(type: EventTypeName): Record<string, TSchema> {
  const fields = eventTypes[type].fields.properties as Record<string, TSchema>;
  return {
    ...('location' in fields && { business: id, labels: Type.Array(id) }),
    ...('listing' in fields && { directoryType: Type.String() }),
    salesPartnerIdentifier: commonFields.salesPartnerIdentifier,
    ...fields,
  };
}

export const FilterableField = Type.Object({
  name: Type.String(),
  kind: Type.Enum(['TEXT', 'NUMBER', 'BOOLEAN', 'OBJECT'], {
    description: 'Kind of the value, or of the entries of a list. NUMBER: also greater and less. OBJECT: only exists',
  }),
  values: Type.Optional(Type.Array(Type.String(), { description: 'The possible values, if there are few' })),
});

export function filterableFields(type: EventTypeName): Static<typeof FilterableField>[] {
  return Object.entries(filterFields(type)).map(([name, schema]) => {
    const { items = schema } = schema as { items?: TSchema };
    const values = valuesOf(items);
    return { name, kind: kindOf(items, values), ...(values && { values }) };
  });
}

function kindOf({ type }: { type?: unknown }, values: readonly string[] | undefined) {
  if (values || type === 'string') return 'TEXT';
  if (type === 'integer' || type === 'number') return 'NUMBER';
  return type === 'boolean' ? 'BOOLEAN' : 'OBJECT';
}

/** Without null, which the operator exists covers. */
function valuesOf(schema: TSchema): string[] | undefined {
  const { enum: values } = schema as { enum?: (string | null)[] };
  return values?.filter((value) => value !== null);
}

/** Throws INVALID_PARAMETER with the path of each invalid part. The filter must be valid for all types. */
export function checkFilter(filter: unknown, types: readonly EventTypeName[]): Filter {
  const errors = filterErrors(filter, types);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors: errors.slice(0, maxErrors) });
  return filter as Filter;
}

/** The filter and the types that it is valid for. Throws if there is none. */
export function fitFilter(
  filter: unknown,
  types: readonly EventTypeName[],
): { filter: Filter; types: EventTypeName[] } {
  const errorsOf = (type: EventTypeName) => filterErrors(filter, [type]);
  const fitting = types.filter((type) => errorsOf(type).length === 0);
  // The errors of a type that has the fields are the helpful ones.
  const closest = types.find((type) => errorsOf(type).every(({ rule }) => rule !== 'known')) ?? types[0];
  if (fitting.length === 0 && closest) checkFilter(filter, [closest]);
  return { filter: filter as Filter, types: fitting };
}

function filterErrors(filter: unknown, types: readonly EventTypeName[]): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const type of types)
    for (const error of invalidParts(filter, 'filter', 1, filterFields(type), type)) errors.set(error.field, error);
  if (errors.size === 0 && countConditions(filter as Filter) > maxConditions)
    errors.set('filter', fieldError('filter', 'maximum', `must have at most ${maxConditions} conditions`));
  return [...errors.values()];
}

type Fields = Record<string, TSchema>;

function* invalidParts(
  part: unknown,
  path: string,
  depth: number,
  fields: Fields,
  type: EventTypeName,
): Iterable<FieldError> {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) {
    yield fieldError(path, 'type', 'must be an object');
    return;
  }
  const keys = Object.keys(part);
  const group = groups.find((name) => keys.includes(name));
  if (depth > maxDepth) yield fieldError(path, 'depth', `must not be nested more than ${maxDepth} levels deep`);
  else if (group === undefined) yield* invalidCondition(part as Record<string, unknown>, path, fields, type);
  else if (keys.length > 1) yield fieldError(path, 'exclusive', `must have no other key beside ${group}`);
  else {
    const value = (part as Record<string, unknown>)[group];
    if (group === 'not') yield* invalidParts(value, `${path}.not`, depth + 1, fields, type);
    else if (!Array.isArray(value) || value.length === 0 || value.length > maxConditions)
      yield fieldError(`${path}.${group}`, 'type', `must be a list of 1 to ${maxConditions} conditions`);
    else
      for (const [index, entry] of value.entries())
        yield* invalidParts(entry, `${path}.${group}[${index}]`, depth + 1, fields, type);
  }
}

function* invalidCondition(
  { field, ...rest }: Record<string, unknown>,
  path: string,
  fields: Fields,
  type: EventTypeName,
): Iterable<FieldError> {
  const [operator, ...others] = Object.keys(rest);
  const schema = typeof field === 'string' && Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (field === undefined)
    yield fieldError(`${path}.field`, 'required', `is required, unless ${path} has one of ${groups.join(', ')}`);
  else if (!schema)
    yield fieldError(
      `${path}.field`,
      'known',
      `must be a field of ${type}: one of ${Object.keys(fields).sort().join(', ')}`,
    );
  else if (!isOperator(operator) || others.length > 0)
    yield fieldError(path, 'operator', `must have exactly one of ${operators.join(', ')} beside field`);
  else yield* invalidOperand(operator, rest[operator], schema, `${path}.${operator}`);
}

function* invalidOperand(operator: Operator, operand: unknown, schema: TSchema, path: string): Iterable<FieldError> {
  const { type, items = schema } = schema as { type?: string; items?: TSchema };
  switch (operator) {
    case 'exists':
      if (typeof operand !== 'boolean') yield fieldError(path, 'type', 'must be true or false');
      break;
    case 'greater':
    case 'less':
      if (type !== 'integer' && type !== 'number') yield fieldError(path, 'operator', 'can be used with numbers only');
      else if (!Number.isFinite(operand)) yield fieldError(path, 'type', 'must be a number');
      break;
    case 'equals':
      if (!isValueOf(items, operand)) yield fieldError(path, 'value', `must be a value of the field${accepted(items)}`);
      break;
    case 'in':
      if (!Array.isArray(operand) || operand.length === 0 || operand.length > maxValues)
        yield fieldError(path, 'type', `must be a list of 1 to ${maxValues} values`);
      else
        for (const [index, value] of operand.entries())
          if (!isValueOf(items, value))
            yield fieldError(`${path}[${index}]`, 'value', `must be a value of the field${accepted(items)}`);
  }
}

/** Texts that jsonpath cannot express are refused. */
const isValueOf = (schema: TSchema, value: unknown): boolean =>
  Check(schema, value) &&
  (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0') && value.length <= maxTextLength));

function countConditions(filter: Filter): number {
  if ('not' in filter) return countConditions(filter.not);
  const parts = 'all' in filter ? filter.all : 'any' in filter ? filter.any : undefined;
  return parts ? parts.reduce((sum, part) => sum + countConditions(part), 0) : 1;
}

const isOperator = (name: string | undefined): name is Operator => operators.some((operator) => operator === name);

function accepted(schema: TSchema): string {
  const { type } = schema as { type?: string };
  const options = valuesOf(schema);
  if (options) return `: one of ${options.join(', ')}`;
  return type ? ` (${type})` : '';
}

/** The filter as jsonpath predicate for jsonb_path_match. */
export function filterPath(filter: Filter): string {
  if ('all' in filter) return `(${filter.all.map(filterPath).join(' && ')})`;
  if ('any' in filter) return `(${filter.any.map(filterPath).join(' || ')})`;
  if ('not' in filter) return `(!${filterPath(filter.not)})`;
  const field = `$.${JSON.stringify(filter.field)}`;
  if ('exists' in filter) return `(${filter.exists ? '' : '!'}exists(${field} ? (@ != null)))`;
  if ('greater' in filter) return `(${field} > ${filter.greater})`;
  if ('less' in filter) return `(${field} < ${filter.less})`;
  const values = 'in' in filter ? filter.in : [filter.equals];
  return `(${values.map((value) => `${field} == ${JSON.stringify(value)}`).join(' || ')})`;
}

/** The filter as a sentence: "(updateResult is FAILURE or UNDEFINED) and labels is 12". */
export function filterText(filter: Filter): string {
  if ('all' in filter) return joinTexts(filter.all, ' and ');
  if ('any' in filter) return joinTexts(filter.any, ' or ');
  if ('not' in filter) return `not (${filterText(filter.not)})`;
  const { field } = filter;
  if ('exists' in filter) return `${field} is ${filter.exists ? 'set' : 'not set'}`;
  if ('greater' in filter) return `${field} is greater than ${filter.greater}`;
  if ('less' in filter) return `${field} is less than ${filter.less}`;
  return `${field} is ${('in' in filter ? filter.in : [filter.equals]).map(String).join(' or ')}`;
}

function joinTexts(filters: readonly Filter[], word: ' and ' | ' or '): string {
  const [only, ...others] = filters;
  if (only && others.length === 0) return filterText(only);
  return filters.map((filter) => (hasSeveralParts(filter) ? `(${filterText(filter)})` : filterText(filter))).join(word);
}

function hasSeveralParts(filter: Filter): boolean {
  if ('all' in filter) return filter.all.length > 1;
  if ('any' in filter) return filter.any.length > 1;
  return 'in' in filter && filter.in.length > 1;
}
