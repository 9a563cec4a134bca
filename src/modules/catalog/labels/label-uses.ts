import type { Sql } from '../../../database/connection.ts';
import { findWebhooksFilteredBy } from '../../../events/subscriptions/webhook-store.ts';
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
  throw new Problem('CONFLICT', {
    message: `The label "${name}" is the only target of ${records}: ${textOf(uses)}. Change their targets or delete them first.`,
  });
}

const textOf = (uses: readonly unknown[]) =>
  `${uses.slice(0, maxNamedUses).join(', ')}${uses.length > maxNamedUses ? ' and others' : ''}`;

/** A filter by a deleted label would never match. */
export async function rejectDeletingLabelOfWebhooks(
  sql: Sql,
  partnerId: number,
  { id, name }: Pick<Label, 'id' | 'name'>,
): Promise<void> {
  const webhooks = await findWebhooksFilteredBy(sql, partnerId, id, maxNamedUses + 1);
  if (webhooks.length === 0) return;
  throw new Problem('CONFLICT', {
    message: `The label "${name}" is used in the filters of webhooks: ${textOf(webhooks)}. Change their filters or delete them first.`,
  });
}
