/** The filters that can be edited without JSON: conditions that must all match, or of which any must match. */
export interface Conditions {
  match: 'all' | 'any';
  rows: Condition[];
}

const comparisons = ['is', 'isNot', 'greater', 'less', 'exists', 'missing'] as const;
export type Comparison = (typeof comparisons)[number];
export type Value = string | number | boolean | null;

export interface Condition {
  field: string;
  comparison: Comparison;
  /** Of `is` and `isNot`: any of them. */
  values: Value[];
  /** Of `greater` and `less`; an empty text if it is not entered yet. */
  bound: number | '';
}

export const newCondition: Condition = { field: '', comparison: 'is', values: [], bound: '' };

/** Undefined if the filter can be edited only as JSON. */
export function conditionsOf(filter: Record<string, unknown> | null): Conditions | undefined {
  if (filter === null) return { match: 'all', rows: [] };
  for (const match of ['all', 'any'] as const) {
    const parts = filter[match];
    if (!Array.isArray(parts) || Object.keys(filter).length > 1) continue;
    const rows = parts.map(conditionOf);
    return rows.every((row) => row !== undefined) ? { match, rows } : undefined;
  }
  const row = conditionOf(filter);
  return row && { match: 'all', rows: [row] };
}

function conditionOf(part: unknown): Condition | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  if ('not' in part) {
    const inner = Object.keys(part).length === 1 ? conditionOf(part.not) : undefined;
    return inner?.comparison === 'is' ? { ...inner, comparison: 'isNot' } : undefined;
  }
  const { field, ...rest } = part as Record<string, unknown>;
  const [[operator, operand] = [], ...others] = Object.entries(rest);
  if (typeof field !== 'string' || others.length > 0) return undefined;
  const condition = { ...newCondition, field };
  switch (operator) {
    case 'equals':
      return isValue(operand) ? { ...condition, values: [operand] } : undefined;
    case 'in':
      return Array.isArray(operand) && operand.every(isValue) ? { ...condition, values: operand } : undefined;
    case 'exists':
      if (typeof operand !== 'boolean') return undefined;
      return { ...condition, comparison: operand ? 'exists' : 'missing' };
    case 'greater':
    case 'less':
      if (typeof operand !== 'number' && operand !== null) return undefined;
      return { ...condition, comparison: operator, bound: operand ?? '' };
    default:
      return undefined;
  }
}

const isValue = (value: unknown): value is Value =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** JSON of the conditions, also of incomplete ones; empty without conditions. */
export function filterJson({ match, rows }: Conditions): string {
  const [first, ...others] = rows.map(partOf);
  if (first === undefined) return '';
  return JSON.stringify(others.length > 0 || match === 'any' ? { [match]: [first, ...others] } : first, null, 2);
}

function partOf({ field, comparison, values, bound }: Condition): object {
  const isAny = values.length === 1 ? { field, equals: values[0] } : { field, in: values };
  switch (comparison) {
    case 'is':
      return isAny;
    case 'isNot':
      return { not: isAny };
    case 'greater':
    case 'less':
      return { field, [comparison]: bound === '' ? null : bound };
    default:
      return { field, exists: comparison === 'exists' };
  }
}

export function isComplete({ rows }: Conditions): boolean {
  return rows.every(({ field, comparison, values, bound }) => {
    if (!field) return false;
    if (comparison === 'is' || comparison === 'isNot') return values.length > 0;
    return comparison === 'exists' || comparison === 'missing' || bound !== '';
  });
}

export interface FilterableField {
  name: string;
  kind: 'TEXT' | 'NUMBER' | 'BOOLEAN' | 'OBJECT';
  values?: string[];
}

/** The comparisons that a field allows. */
export function comparisonsOf(field: FilterableField | undefined): Comparison[] {
  if (field?.kind === 'OBJECT') return ['exists', 'missing'];
  return comparisons.filter((name) => field?.kind === 'NUMBER' || (name !== 'greater' && name !== 'less'));
}

/** The fields that all types have. */
export function sharedFields(types: readonly { filterFields: readonly FilterableField[] }[]): FilterableField[] {
  const [first, ...others] = types;
  return (first?.filterFields ?? []).filter(({ name, kind }) =>
    others.every(({ filterFields }) => filterFields.some((field) => field.name === name && field.kind === kind)),
  );
}

/** The values as the API expects them for the field. Values that were there before keep their type, such as null. */
export function valuesFor(
  field: FilterableField | undefined,
  typed: readonly string[],
  before: readonly Value[] = [],
): Value[] {
  const isNumber = (value: string) => field?.kind === 'NUMBER' && value.trim() !== '' && Number.isFinite(Number(value));
  return typed.map((text) => {
    const known = before.find((value) => String(value) === text);
    if (known !== undefined) return known;
    if (field?.kind === 'BOOLEAN') return text === 'true';
    return isNumber(text) ? Number(text) : text;
  });
}
