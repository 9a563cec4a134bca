import type { FieldError } from '../../problems.ts';

export const identifierTaken = 'identifierNotUnique';

export const identifierNotUnique = (identifier: string): FieldError => ({
  field: 'identifier',
  rule: identifierTaken,
  message: `The identifier "${identifier}" is already in use. Choose another one.`,
});
