import type { FastifySchemaCompiler } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type FieldError, Problem } from '../problems.ts';
import { boundedErrors } from './bounded-errors.ts';
import { fieldName } from './field-errors.ts';
import { readBody, readText, unstorableText } from './request-values.ts';

/** Fastify asks for one validator per route and part of the request. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, method = '', httpPart }) => {
  const validator = Compile(schema);
  return (given: unknown) => {
    const { value, undeletable } =
      httpPart === 'body'
        ? readBody(schema, given, method)
        : { value: readText(schema, given as Record<string, unknown>), undeletable: [] };
    const errors = undeletable.map(cannotBeDeleted);
    const unstorable = unstorableText(value);
    if (unstorable !== undefined) errors.push(notText(fieldName(unstorable)));
    if (!validator.Check(value)) {
      errors.push(...boundedErrors(schema, validator, value));
    }
    return errors.length > 0 ? { error: refusal(errors) } : { value };
  };
};

/** A field that a change may delete by null or "". Handlers see null for both. */
export function deletable<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] });
}

/** For a change that names none of the fields it could change. `warnings`: what it names in their place. */
export const nothingToChange = (fields: readonly string[], warnings: readonly string[] = []): Problem =>
  new Problem('MISSING_PARAMETER', {
    errors: [
      {
        field: 'body',
        rule: 'minProperties',
        message: ['There is nothing to change.', ...warnings, `Give at least one of ${fields.join(', ')}.`].join(' '),
      },
    ],
  });

function refusal(errors: readonly FieldError[]): Problem {
  const rules = new Set(errors.map(({ rule }) => rule));
  if (rules.has('required')) return new Problem('MISSING_PARAMETER', { errors });
  if (rules.has('type')) return new Problem('WRONG_PARAMETER_TYPE', { errors });
  return new Problem('INVALID_PARAMETER', { errors });
}

const cannotBeDeleted = (field: string): FieldError => ({
  field,
  rule: 'not-deletable',
  message: `${field} cannot be deleted. Give a new value, or leave it out to keep it.`,
});

const notText = (field: string): FieldError => ({
  field,
  rule: 'text',
  message: `${field} has characters that are not text (NUL or half of a surrogate pair).`,
});
