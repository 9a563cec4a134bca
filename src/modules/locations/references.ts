import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { managesAccount, reaches } from '../../http/access.ts';
import { validationProblem } from '../../http/validation.ts';
import { type FieldError, fieldError, Problem } from '../../problems.ts';
import { normalizeText } from '../../text.ts';
import type { Actor } from '../accounts/index.ts';
import { ensureLabels, findLabels, findLabelsByName, type Label, unknownBusinesses } from '../catalog/index.ts';
import type { LabelReference, ServiceItemInput } from './profile-values.ts';
import { type FoundService, findServices } from './service-item.ts';

/** Filters the ids to businesses that exist and are visible to the actor. */
export async function knownBusinesses(sql: Sql, actor: Actor, ids: Iterable<number>): Promise<Set<number>> {
  const isVisible = (id: number) => !actor.user || reaches(actor.user.reach, { businessId: id });
  const businessIds = [...new Set(ids)].filter(isVisible);
  if (businessIds.length === 0) return new Set();
  const { ids: unknown } = await unknownBusinesses(sql, actor.partner.id, { businessIds });
  return new Set(businessIds).difference(new Set(unknown));
}

/** The same error for a business that does not exist and one that is not visible. */
export const businessNotFound = (id: number): FieldError => ({
  field: 'businessId',
  rule: 'known',
  message: `There is no business ${id}. Set businessId to an existing one.`,
});

interface LabelList {
  references: readonly LabelReference[];
  /** Current labels of the location. */
  before: readonly number[];
  /** The location is rejected for another reason. */
  rejected: boolean;
}

/**
 * Finds labels by id and name, and creates labels for new names of valid lists if the actor may. Only account managers
 * can add or remove admin-only labels.
 */
export async function knownLabels(transaction: Transaction, actor: Actor, lists: readonly LabelList[]) {
  const references = lists.flatMap((list) => list.references);
  const ids = new Set([
    ...references.map(idOf).filter((id) => id !== undefined),
    ...lists.flatMap(({ before }) => before),
  ]);
  const names = new Set(references.filter((reference) => idOf(reference) === undefined).map(nameOf));
  const found = [
    ...(ids.size > 0 ? await findLabels(transaction, actor.partner.id, [...ids]) : []),
    ...(names.size > 0 ? await findLabelsByName(transaction, actor.partner.id, [...names]) : []),
  ];
  const known = new LabelLookup(found, actor);
  const added = lists
    .filter((list) => !list.rejected && 'ids' in known.idsOf(list.references, list.before))
    .flatMap((list) => list.references.filter((reference) => known.isNew(reference)));
  if (added.length === 0) return known;
  const created = await ensureLabels(transaction, actor, added.map(nameOf), added.filter(isAdminOnly).map(nameOf));
  return new LabelLookup([...found, ...created], actor);
}

const isAdminOnly = (reference: LabelReference): boolean =>
  typeof reference === 'object' && reference.id === undefined && reference.adminOnly === true;

export class LabelLookup {
  readonly #byId: ReadonlyMap<number, Label>;
  readonly #byName: ReadonlyMap<string, Label>;
  readonly #seesAll: boolean;
  readonly #creates: boolean;

  constructor(labels: readonly Label[], actor: Actor) {
    this.#byId = new Map(labels.map((label) => [label.id, label]));
    this.#byName = new Map(labels.map((label) => [label.name.toLowerCase(), label]));
    this.#seesAll = managesAccount(actor);
    this.#creates = !actor.createsNoLabels;
  }

  /** Whether the actor may create the label, which does not exist. */
  isNew(reference: LabelReference): boolean {
    const name = nameOf(reference);
    const mayCreate = this.#creates && (this.#seesAll || !isAdminOnly(reference));
    return mayCreate && idOf(reference) === undefined && name !== '' && !this.#byName.has(name.toLowerCase());
  }

  /** Resolves references to ids. `before`: the current labels of the location. */
  idsOf(
    references: readonly LabelReference[],
    before: readonly number[],
  ): { ids: number[] } | { errors: FieldError[] } {
    const errors: FieldError[] = [];
    const ids = new Set(this.#seesAll ? [] : before.filter((id) => this.#byId.get(id)?.adminOnly));
    for (const [index, reference] of references.entries()) {
      if (this.isNew(reference)) continue;
      const id = idOf(reference);
      const label = id === undefined ? this.#byName.get(nameOf(reference).toLowerCase()) : this.#byId.get(id);
      if (label && (this.#seesAll || !label.adminOnly || before.includes(label.id))) ids.add(label.id);
      else if (!this.#seesAll && isAdminOnly(reference))
        errors.push(
          fieldError(`labels[${index}].adminOnly`, 'role', 'can be set only by administrators and account managers'),
        );
      else {
        const field = `labels[${index}]`;
        const hint = this.#creates ? '' : ' In this API version only administrators can create labels.';
        const message = `${field} must be an existing label, not ${id ?? nameOf(reference)}.${hint}`;
        errors.push({ field, rule: 'known', message });
      }
    }
    return errors.length > 0 ? { errors } : { ids: [...ids] };
  }
}

const idOf = (reference: LabelReference): number | undefined =>
  typeof reference === 'number' ? reference : typeof reference === 'string' ? undefined : reference.id;

const nameOf = (reference: LabelReference): string =>
  normalizeText(
    typeof reference === 'string' ? reference : typeof reference === 'number' ? '' : (reference.name ?? ''),
  );

/** Referenced services of other locations that are visible to the actor. */
export async function servicesOfOtherLocations(
  sql: Sql,
  { partner, user }: Actor,
  lists: readonly (readonly ServiceItemInput[] | undefined)[],
): Promise<FoundService[]> {
  const ids = lists.flatMap((list) => list?.map(({ id }) => id).filter((id) => id !== undefined) ?? []);
  if (ids.length === 0) return [];
  const found = await findServices(sql, partner.id, ids);
  return found.filter(({ locationId, businessId }) => !user || reaches(user.reach, { locationId, businessId }));
}

const identifierNotUniqueRule = 'identifierNotUnique';

export const identifierNotUnique = (identifier: string): FieldError => ({
  field: 'identifier',
  rule: identifierNotUniqueRule,
  message: `identifier "${identifier}" is already used by another location. Choose another one.`,
});

/** The problem for a list of errors; a duplicate identifier has precedence. */
export function problemOf(errors: readonly FieldError[]): Problem {
  const notUnique = errors.find(({ rule }) => rule === identifierNotUniqueRule);
  if (notUnique) return new Problem('IDENTIFIER_NOT_UNIQUE', { message: notUnique.message, errors });
  return validationProblem(errors);
}
