import { readFileSync } from 'node:fs';
import { newestVersion, timeline } from '../versions/timeline.ts';
import { RouteWalk } from '../versions/walk.ts';
import type { RouteRecord, Schema } from './route-record.ts';

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

export const namedExample = (value: unknown) => (value === undefined ? {} : { examples: { example: { value } } });

/** Responses of the newest version, recorded by examples.test.ts, by method and documented path. */
export const responseExamples: Readonly<Record<string, { status: string; response: unknown }>> = JSON.parse(
  readFileSync(new URL('response-examples.json', import.meta.url), 'utf8'),
);

/** The examples were recorded for a partner with all plan features. */
const planFeatures = timeline.flatMap(({ onlyWith }) => onlyWith ?? []);

/** The response contains a JSON Schema, which spectral mistakes for a schema of the document. */
const excluded = 'GET /api/event-types/{type}';

/** The response of a route in a version; undefined if a grant changes the behaviour of the handler. */
export function responseExample({ method, path, body, responses }: RouteRecord, version: string): unknown {
  const key = `${method} ${documentedPath(path)}`;
  const recorded = key === excluded ? undefined : responseExamples[key];
  if (!recorded || version === newestVersion) return recorded;
  const walk = new RouteWalk(timeline, { method, path, body, response: responses[200]?.properties?.response });
  const client = { version, planFeatures };
  if (walk.grants(client).size > 0) return undefined;
  return { ...recorded, response: walk.downgrade(client, recorded.response) };
}

/** Aliases of paths, which the documents omit. */
const secondNames: Readonly<Record<string, string>> = {
  '/api/dashboard/customer-feedback-by-period': '/api/dashboard/customer-feedback/by-period',
  '/api/dashboard/customer-feedback/keywords': '/api/dashboard/customer-feedback-keywords',
};

/**
 * The path in the documents: canonical, but without the hyphen where tools consider two paths ambiguous
 * (`/api/data-points/filters/{id}` and `/api/data-points/{id}/flag`).
 */
export const documentedPath = (path: string): string =>
  (secondNames[path] ?? path)
    .replace(/:(\w+)/g, '{$1}')
    .replace('/api/data-points/filters/{', '/api/datapoints/filters/{')
    .replace('/api/sales-partners/{id}/', '/api/salespartners/{id}/');

export const isSecondName = (path: string): boolean => path in secondNames;
