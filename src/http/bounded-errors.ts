import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import type { FieldError } from '../problems.ts';
import { describeError } from './field-errors.ts';

interface Shape {
  maxLength?: number;
  maxItems?: number;
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  items?: Shape;
}

interface Validator {
  Errors(value: unknown): TLocalizedValidationError[];
}

/**
 * Validates at a cost that is bounded by the limits of the schema instead of the size of the value: strings and lists are
 * cut just above their limits.
 */
export function boundedErrors(schema: TSchema, validator: Validator, value: unknown): FieldError[] {
  const bounded = cutAboveLimits(schema as Shape, value);
  const errors = validator.Errors(bounded);
  const tooLong = new Set(errors.filter(({ keyword }) => keyword === 'maxLength').map((error) => error.instancePath));
  return errors
    .filter(({ keyword, instancePath }) => keyword === 'maxLength' || !tooLong.has(instancePath))
    .flatMap((error) => describeError(schema, error, bounded));
}

/** A copy in which strings and lists end just above their limits, so that they still exceed them. */
function cutAboveLimits(schema: Shape, value: unknown): unknown {
  const { maxLength, maxItems, items, properties, patternProperties } = schema;
  if (typeof value === 'string') {
    // Limits count code points, of at most two code units each.
    return maxLength === undefined ? value : value.slice(0, 2 * maxLength + 1);
  }
  if (Array.isArray(value)) {
    const entries = maxItems === undefined ? value : value.slice(0, maxItems + 1);
    return items ? entries.map((entry) => cutAboveLimits(items, entry)) : entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  const [named] = Object.values(patternProperties ?? {});
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const known = properties && Object.hasOwn(properties, name) ? properties[name] : named;
      return [name, known ? cutAboveLimits(known, field) : field];
    }),
  );
}
