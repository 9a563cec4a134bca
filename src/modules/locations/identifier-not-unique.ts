import type { FieldError } from '../../problems.ts';

export const identifierNotUniqueRule = 'identifierNotUnique';

export const identifierNotUnique = (identifier: string): FieldError => ({
  field: 'identifier',
  rule: identifierNotUniqueRule,
  message: `identifier "${identifier}" is already used by another location. Choose another one.`,
});
