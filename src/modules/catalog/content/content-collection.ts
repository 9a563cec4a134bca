import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import { type FieldError, Problem } from '../../../problems.ts';
import {
  type ContentCollection,
  type ContentItem,
  changedItemFacts,
  contentTypes,
  type ItemFacts,
  ItemResponse,
  itemResponse,
  maxItems,
  newItemFacts,
  WrittenItem,
  type WrittenItemInput,
} from './content.ts';

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'Display name, not blank' });
const identifier = Type.Optional(
  deletable(
    Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own id of the collection, unique" }),
  ),
);
const items = Type.Optional(
  Type.Array(WrittenItem, {
    maxItems: maxItems,
    description: 'All items in order. Items that are not included are deleted.',
  }),
);

export const NewCollection = Type.Object({
  businessId: Id,
  type: Type.Enum([...contentTypes]),
  name,
  identifier,
  items,
});

export const CollectionChange = Type.Object({ name: Type.Optional(name), identifier, items });

export const CollectionResponse = Type.Object({
  id: Type.Integer(),
  businessId: Type.Integer(),
  type: Type.Enum([...contentTypes]),
  name: Type.String(),
  identifier: Type.Optional(Type.String()),
  items: Type.Array(ItemResponse),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

export const collectionResponse = (collection: ContentCollection): Static<typeof CollectionResponse> => ({
  id: collection.id,
  businessId: collection.businessId,
  type: collection.type,
  name: collection.name,
  ...(collection.identifier !== null && { identifier: collection.identifier }),
  items: collection.items.map(itemResponse),
  dateCreated: collection.dateCreated.toISOString(),
  lastUpdated: collection.lastUpdated.toISOString(),
});

/** `id` is null for a new item. */
export interface ItemToKeep extends ItemFacts {
  id: number | null;
}

/** Matches the items of a request with existing items by id or identifier. Existing items without a match are deleted. */
export function writtenItems(present: readonly ContentItem[], written: readonly WrittenItemInput[]): ItemToKeep[] {
  const byId = new Map(present.map((item) => [item.id, item]));
  const byIdentifier = new Map(present.map((item) => [item.identifier, item]));
  const errors: FieldError[] = [];
  const seen = new Set<number | string>();
  const checkUnique = (field: string, value: number | string) => {
    if (seen.has(value)) errors.push({ field, rule: 'unique', message: `${field} ${value} occurs more than once.` });
    seen.add(value);
  };
  const kept = written.map(({ id, ...given }, index): ItemToKeep => {
    const at = `items[${index}].`;
    if (id !== undefined && !byId.has(id)) {
      errors.push({
        field: `${at}id`,
        rule: 'known',
        message: `${at}id must be the id of an item in this collection, not ${id}.`,
      });
    }
    const known = id === undefined ? byIdentifier.get(given.identifier ?? '') : byId.get(id);
    const facts = known ? changedItemFacts(known, given, at) : newItemFacts(given, at);
    if (known) checkUnique(`${at}id`, known.id);
    if (facts.identifier !== null) checkUnique(`${at}identifier`, facts.identifier);
    return { id: known?.id ?? null, ...facts };
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return kept;
}
