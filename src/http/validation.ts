import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type FieldError, Problem } from '../problems.ts';
import { fieldName, schemaErrors } from '../schema-errors.ts';
import { readBody, readText, unstorableText } from './request-values.ts';

// Recursive functions process the body: deeper nesting could overflow the stack.
const maxDepth = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts only JSON in UTF-8; an empty body counts as none. */
export function acceptJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined);
    try {
      void parse(request, decode(request, bytes), (error, body) => {
        done(error ?? (isDeeperThan(maxDepth, body) ? tooDeep() : null), body);
      });
    } catch (error) {
      done(error as Error);
    }
  });
}

const tooDeep = () => new Problem('BAD_REQUEST', { message: `The body is nested deeper than ${maxDepth} levels.` });

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function decode(request: FastifyRequest, bytes: Buffer): string {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('BAD_REQUEST', {
      message: `content-encoding ${encoding} is not supported. Send the body uncompressed.`,
    });
  }
  const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('BAD_REQUEST', { message: `The charset ${charset} is not supported. Send JSON in UTF-8.` });
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('BAD_REQUEST', { message: 'The body is not valid UTF-8.' });
  }
}

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
