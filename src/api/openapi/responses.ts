import { STATUS_CODES } from 'node:http';
import type { Schema } from '../../json-schema.ts';

export const successSchema: Schema = {
  type: 'object',
  description: 'Common fields of successful responses',
  required: ['status'],
  properties: {
    status: { type: 'string', enum: ['SUCCESS'] },
    warnings: { type: 'array', items: { type: 'string' } },
  },
};

/** Composes a response schema of the shared part and `response`; unchanged if it has other fields. */
export function envelope(schema: Schema): Schema {
  const { status, response, warnings, ...more } = schema.properties ?? {};
  const isPlain = status?.enum?.length === 1 && response && warnings && Object.keys(more).length === 0;
  if (!isPlain) return schema;
  const own = { type: 'object', required: ['response'], properties: { response } };
  return { allOf: [{ $ref: '#/components/schemas/Success' }, own] };
}

/** Joins the parts to one schema again. */
export function wholeEnvelope(schema: Schema): Schema {
  const [, own] = (schema.allOf ?? []) as Schema[];
  if (!own) return schema;
  return {
    type: 'object',
    required: ['status', 'response'],
    properties: { ...successSchema.properties, ...own.properties },
  };
}

export const responseSchema = (schema: Schema | undefined): Schema | undefined =>
  schema && wholeEnvelope(schema).properties?.response;

export interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}

export interface NamedResponse {
  description: string;
  headers?: Record<string, { description: string; schema: Schema }>;
  content: Record<string, Media>;
}

export interface Reference {
  $ref: string;
}

/** The error values of `status` by HTTP code. */
export type ErrorStatuses = Record<string, string[]>;

/** Errors of every operation, documented as one entry. */
const common = new Set(['401', '403', '429', '500', '503']);

const fieldError: Schema = {
  type: 'object',
  title: 'FieldError',
  description: 'Error of one field of the request',
  required: ['field', 'rule', 'message'],
  properties: {
    field: { type: 'string', description: 'Path of the field, such as openingHours[0].from1' },
    rule: { type: 'string', description: 'The violated rule' },
    message: { type: 'string', description: 'Accepted values, and what to do' },
  },
};

const errorSchema = (statuses: Iterable<string>): Schema => ({
  type: 'object',
  title: 'Error',
  description: 'An error. Handle it by status, and by errorCode if present; message is for users.',
  required: ['status', 'message'],
  properties: {
    status: { type: 'string', enum: [...statuses].sort() },
    message: { type: 'string' },
    errorCode: { type: 'string' },
    errors: { type: 'array', items: { $ref: '#/components/schemas/FieldError' } },
    details: { type: 'object', description: 'Data about the error, such as the uses of an asset that is in use' },
    warnings: { type: 'array', items: { type: 'string' } },
    response: {
      type: 'object',
      description: 'For a bulk operation of which all records failed: the same as in its 200 response',
    },
  },
});

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };

/** Collects the error responses that operations reference. */
export class ErrorResponses {
  readonly named: Record<string, NamedResponse> = {
    Failure: {
      description:
        'Not authorized (401), forbidden (403), unknown salesPartnerId (404), too many requests (429), or a server error (500, 503)',
      headers: retryAfter,
      content,
    },
  };
  readonly #statuses = new Set<string>();

  get schemas(): Record<string, Schema> {
    return { Error: errorSchema(this.#statuses), FieldError: fieldError };
  }

  refer(code: string, statuses: readonly string[], isCommon: boolean): { code: string; response: Reference } {
    for (const status of statuses) this.#statuses.add(status);
    if (isCommon || common.has(code)) return { code: 'default', response: { $ref: '#/components/responses/Failure' } };
    const name = nameOf(code);
    this.named[name] ??= { description: STATUS_CODES[code] ?? code, content };
    return { code, response: { $ref: `#/components/responses/${name}` } };
  }
}

const nameOf = (code: string) => (STATUS_CODES[code] ?? `Status${code}`).replace(/\W/g, '');
