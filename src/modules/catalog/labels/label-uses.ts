import { Problem } from '../../../problems.ts';
import type { Label } from './label-store.ts';

/** Queries for the uses of a label return at most one more. */
export const maxNamedUses = 10;

/** Rejects the deletion of the only target of records, named by an id or a name. */
export function rejectDeletingOnlyTarget(
  { name }: Pick<Label, 'name'>,
  records: string,
  uses: readonly unknown[],
): void {
  if (uses.length === 0) return;
  const named = `${uses.slice(0, maxNamedUses).join(', ')}${uses.length > maxNamedUses ? ' and others' : ''}`;
  throw new Problem('CONFLICT', {
    message: `The label "${name}" is the only target of ${records}: ${named}. Change their targets or delete them first.`,
  });
}
