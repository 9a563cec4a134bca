import type { CallerUser } from '../../http/access.ts';
import { Problem } from '../../problems.ts';
import type { FieldGroup } from '../accounts/index.ts';
import { locationFields } from './location-fields.ts';

/** Fields that have separate endpoints and are not in `locationFields`. */
const otherFields = {
  status: { group: 'ADMINISTRATION' },
  contentLists: { group: 'SERVICES' },
} as const;

const groupByField: ReadonlyMap<string, FieldGroup> = new Map(
  Object.entries({ ...locationFields, ...otherFields }).map(([name, { group }]) => [name, group]),
);

export const groupOf = (field: string): FieldGroup | undefined => groupByField.get(field);

export const fieldsInGroups = (groups: ReadonlySet<string>): string[] =>
  [...groupByField].filter(([, group]) => groups.has(group)).map(([name]) => name);

/** Rejects fields outside the field groups of the user. Does not replace the check of LOCATION_WRITE. */
export function requireFieldAccess(user: CallerUser | undefined, fields: readonly string[]): void {
  if (!user || user.role === 'ADMIN' || user.fieldGroups === null) return;
  const allowed = user.fieldGroups;
  const forbidden = fields.filter((field) => !allowed.has(groupOf(field) ?? ''));
  if (forbidden.length === 0) return;
  throw new Problem('FORBIDDEN', {
    message: `You may not change ${forbidden.join(', ')}. Ask an administrator to allow these fields in featuresDetailed.`,
  });
}
