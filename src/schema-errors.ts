import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { fieldOf, propertiesOf, type Schema } from './json-schema.ts';
import type { FieldError } from './problems.ts';

/**
 * The errors of a value; empty if it is valid. The cost is bounded by the limits of the schema instead of the size of the
 * value: strings and lists are cut just above their limits.
 */
export function schemaErrors(schema: TSchema, validator: Validator, value: unknown): FieldError[] {
  if (validator.Check(value)) return [];
  const bounded = cutAboveLimits(schema as Schema, value);
  const errors = validator.Errors(bounded);
  const tooLong = new Set(errors.filter(({ keyword }) => keyword === 'maxLength').map((error) => error.instancePath));
  return errors
    .filter(({ keyword, instancePath }) => keyword === 'maxLength' || !tooLong.has(instancePath))
    .flatMap((error) => describeError(schema, error, bounded));
}

/** Translates a validator error into a message with the accepted values. */
function describeError(schema: TSchema, error: TLocalizedValidationError, input: unknown): FieldError[] {
  const field = fieldName(error.instancePath);
  const value = valueAt(input, error.instancePath);
  const fail = (message: string): FieldError[] => [{ field, rule: error.keyword, message: `${field} ${message}.` }];
  const missing = (name: string): FieldError => ({
    field: join(error.instancePath, name),
    rule: 'required',
    message: `${join(error.instancePath, name)} is required${expected(schema, `${error.schemaPath}/properties/${name}`)}.`,
  });
  switch (error.keyword) {
    case 'required':
      // Reported as 'if' too, whose path leads to the descriptions of the fields.
      return error.schemaPath.endsWith('/else') ? [] : error.params.requiredProperties.map(missing);
    case 'if':
      return missingElse(schema, error.schemaPath, value).map(missing);
    case 'type':
      return fail(
        `must be ${[error.params.type].flat().map(withArticle).join(' or ')}${isSecret(schema, error.schemaPath) ? '' : `, not ${kindOf(value)}`}`,
      );
    case 'enum': {
      const rule = typeof value === typeof error.params.allowedValues[0] ? 'enum' : 'type';
      return [{ field, rule, message: `${field} must be one of ${error.params.allowedValues.join(', ')}.` }];
    }
    case 'const':
      return fail(`must be ${String(error.params.allowedValue)}`);
    case 'minLength':
      return fail(`must have at least ${counted(error.params.limit, 'character', 'characters')}`);
    case 'maxLength':
      return fail(`may have at most ${counted(error.params.limit, 'character', 'characters')}`);
    case 'minItems':
      return fail(`must have at least ${counted(error.params.limit, 'entry', 'entries')}`);
    case 'maxItems':
      return fail(`may have at most ${counted(error.params.limit, 'entry', 'entries')}`);
    case 'minimum':
      return fail(`must be ${error.params.limit} or more, not ${String(value)}`);
    case 'maximum':
      return fail(`must be ${error.params.limit} or less, not ${String(value)}`);
    // Unknown fields are also reported one by one as 'boolean'; this summary may be cut off.
    case 'additionalProperties':
      return [];
    case 'boolean': {
      const known = knownNames(schema, error.schemaPath.slice(0, error.schemaPath.lastIndexOf('/')));
      return [{ field, rule: 'known', message: `${field} is not a known field. Known fields: ${known}.` }];
    }
    case 'minProperties':
      return fail(`must have at least ${error.params.limit} of ${knownNames(schema, error.schemaPath)}`);
    case 'pattern':
      if (isNotBlankPattern(error.params.pattern)) return fail('must not be empty');
      return fail(`has an invalid format${expected(schema, error.schemaPath)}`);
    default:
      return fail(error.message);
  }
}

/** Fields that `if` and `else` require and the value lacks. */
function missingElse(schema: TSchema, schemaPath: string, value: unknown): string[] {
  const { else: other } = (valueAt(schema, schemaPath) ?? {}) as { else?: { required?: string[] } };
  return (other?.required ?? []).filter((name) => !Object.hasOwn(Object(value), name));
}

/** The pattern that only rejects blank strings. */
const isNotBlankPattern = (pattern: string | RegExp) => String(pattern) === '\\S';

/** Passwords and keys are not echoed. */
const isSecret = (schema: TSchema, schemaPath: string) => schemaAt(schema, schemaPath)?.writeOnly === true;

const knownNames = (schema: TSchema, schemaPath: string) =>
  Object.keys(propertiesOf(schemaAt(schema, schemaPath))).join(', ');

/** The accepted values of a field, from its schema. */
function expected(schema: TSchema, schemaPath: string): string {
  const { enum: values, description } = schemaAt(schema, schemaPath) ?? {};
  if (values) return `: one of ${values.join(', ')}`;
  // An abbreviation at the start, such as URL, stays as it is.
  const [sentence] = description?.split('. ') ?? [];
  return sentence ? `: ${sentence.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())}` : '';
}

/** `/retrySchedule/3` becomes `retrySchedule[3]`; the root is `body`. */
export function fieldName(pointer: string): string {
  const steps = stepsOf(pointer);
  if (steps.length === 0) return 'body';
  return steps.map((step, depth) => (/^\d+$/.test(step) ? `[${step}]` : depth === 0 ? step : `.${step}`)).join('');
}

const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const join = (pointer: string, name: string) => (pointer === '' ? name : `${fieldName(pointer)}.${name}`);

const valueAt = (input: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce((value, step) => (value as Record<string, unknown> | null)?.[step], input);

const schemaAt = (schema: TSchema, path: string) => valueAt(schema, path) as Schema | undefined;

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

const withArticle = (noun: string) => (noun === 'null' ? 'null' : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`);

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return `the text "${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
  return typeof value === 'object' ? 'an object' : String(value);
}

/** A copy in which strings and lists end just above their limits, so that they still exceed them. */
function cutAboveLimits(schema: Schema, value: unknown): unknown {
  const { maxLength, maxItems, items, properties = {}, patternProperties = {} } = schema;
  if (typeof value === 'string') {
    // Limits count code points, of at most two code units each.
    return maxLength === undefined ? value : value.slice(0, 2 * maxLength + 1);
  }
  if (Array.isArray(value)) {
    const entries = maxItems === undefined ? value : value.slice(0, maxItems + 1);
    return items ? entries.map((entry) => cutAboveLimits(items, entry)) : entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  const [named] = Object.values(patternProperties);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const known = fieldOf(properties, name) ?? named;
      return [name, known ? cutAboveLimits(known, field) : field];
    }),
  );
}
