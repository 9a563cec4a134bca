import type { Schema } from './route-record.ts';

/** What every success has beside its `response`. */
export const successSchema: Schema = {
  type: 'object',
  description: 'What every success has beside its response',
  required: ['status'],
  properties: {
    status: { type: 'string', enum: ['SUCCESS'] },
    warnings: { type: 'array', items: { type: 'string' } },
  },
};

/** The schema of a success by the shared part and its own; unchanged when it has more than that. */
export function envelope(schema: Schema): Schema {
  const { status, response, warnings, ...more } = schema.properties ?? {};
  const isPlain = status?.enum?.length === 1 && response && warnings && Object.keys(more).length === 0;
  if (!isPlain) return schema;
  const own = { type: 'object', required: ['response'], properties: { response } };
  return { allOf: [{ $ref: '#/components/schemas/Success' }, own] };
}

/** The two parts as one schema again. */
export function wholeEnvelope(schema: Schema): Schema {
  const [, own] = (schema.allOf ?? []) as Schema[];
  if (!own) return schema;
  return {
    type: 'object',
    required: ['status', 'response'],
    properties: { ...successSchema.properties, ...own.properties },
  };
}

/** What the `response` of a success holds. */
export const responseSchema = (schema: Schema | undefined): Schema | undefined =>
  schema && wholeEnvelope(schema).properties?.response;
