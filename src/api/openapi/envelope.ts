import type { Schema } from './route-record.ts';

/** The common fields of successful responses. */
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

/** The schema of `response`. */
export const responseSchema = (schema: Schema | undefined): Schema | undefined =>
  schema && wholeEnvelope(schema).properties?.response;
