import type { Schema } from './route-record.ts';

/** Example values of pagination fields. */
const pageFields: Readonly<Record<string, unknown>> = { offset: 0, max: 50, page: 0, size: 50, count: 1 };
const plainValues: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, null: null };

interface Example {
  value: unknown;
  /** Whether a part has an explicit example. */
  isWritten: boolean;
}

/** The example of a schema, or one composed of the examples of its parts; undefined if no part has one. */
export function exampleOf(schema: Schema): unknown {
  const { value, isWritten } = build(schema, '');
  return isWritten ? value : undefined;
}

function build(schema: Schema, name: string): Example {
  const { examples, properties, items, required = [], anyOf } = schema;
  if (examples?.length) return { value: examples[0], isWritten: true };
  if (items) {
    const entry = build(items, name);
    return { value: entry.isWritten ? [entry.value] : [], isWritten: entry.isWritten };
  }
  if (anyOf?.[0]) return build(anyOf[0], name);
  if (!properties) return { value: plainValue(schema, name), isWritten: false };
  const fields: Record<string, unknown> = {};
  let isWritten = false;
  for (const [field, inner] of Object.entries(properties)) {
    const example = build(inner, field);
    isWritten ||= example.isWritten;
    if (example.isWritten || required.includes(field)) fields[field] = example.value;
  }
  return { value: fields, isWritten };
}

function plainValue({ enum: values, const: only, default: preset, minimum, type, ...schema }: Schema, name: string) {
  if (values) return values[0];
  if (only !== undefined) return only;
  if (name in pageFields) return pageFields[name];
  if (preset !== undefined) return preset;
  if (typeof minimum === 'number' && minimum > 1) return minimum;
  const [first = 'object'] = [type ?? 'object'].flat();
  if (first in plainValues) return plainValues[first];
  if (first === 'object') return {};
  if (schema.format === 'date-time' || /(date|At|until|since)$/i.test(name)) return '2026-11-15T01:02:03.456Z';
  return name;
}

/** The examples of a media type. */
export const namedExample = (value: unknown) => (value === undefined ? {} : { examples: { example: { value } } });
