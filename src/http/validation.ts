import type { FastifySchemaCompiler } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type FieldError, Problem } from '../problems.ts';
import { fieldName, schemaErrors } from '../schema-errors.ts';
import { readBody, readText, unstorableText } from './request-values.ts';

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, method = '', httpPart }) => {
  // Compiled by the first request: compiling all schemas is a third of the start of a server.
  let validator: Validator | undefined;
  return (given: unknown) => {
    const { value, undeletable } =
      httpPart === 'body'
        ? readBody(schema, given, method)
        : { value: readText(schema, given as Record<string, unknown>), undeletable: [] };
    const errors = undeletable.map(notDeletable);
    const unstorable = unstorableText(value);
    if (unstorable !== undefined) errors.push(notText(fieldName(unstorable)));
    validator ??= Compile(schema);
    errors.push(...schemaErrors(schema, validator, value));
    return errors.length > 0 ? { error: validationProblem(errors) } : { value };
  };
};

/** A field that null or "" deletes. Handlers get null for both. */
export function deletable<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] });
}

/** An optional field that null or "" deletes. */
export const deletableField = <T extends TSchema>(schema: T) => Type.Optional(deletable(schema));

/** A change without any known field. `warnings` lists the ignored fields. */
export const nothingToChange = (fields: readonly string[], warnings: readonly string[] = []): Problem =>
  new Problem('MISSING_PARAMETER', {
    errors: [
      {
        field: 'body',
        rule: 'minProperties',
        message: ['No field to change.', ...warnings, `Send at least one of ${fields.join(', ')}.`].join(' '),
      },
    ],
  });

/** The problem for a list of errors: a missing field has precedence over a wrong type. */
export function validationProblem(errors: readonly FieldError[]): Problem {
  const rules = new Set(errors.map(({ rule }) => rule));
  if (rules.has('required')) return new Problem('MISSING_PARAMETER', { errors });
  if (rules.has('type')) return new Problem('WRONG_PARAMETER_TYPE', { errors });
  return new Problem('INVALID_PARAMETER', { errors });
}

export const notDeletable = (field: string): FieldError => ({
  field,
  rule: 'not-deletable',
  message: `${field} cannot be deleted. Send a new value, or omit the field to keep the current one.`,
});

export const notText = (field: string): FieldError => ({
  field,
  rule: 'text',
  message: `${field} contains invalid characters (NUL or a lone surrogate). Remove them.`,
});
