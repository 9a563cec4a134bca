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
  mostItems,
  newItemFacts,
  WrittenItem,
  type WrittenItemInput,
} from './content.ts';

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'What people call it, not only spaces' });
const identifier = Type.Optional(
  deletable(
    Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own name for it, used once only" }),
  ),
);
const items = Type.Optional(
  Type.Array(WrittenItem, {
    maxItems: mostItems,
    description: 'All items in their order; those not given are deleted',
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

/** An item as it is to be kept: under the id that it has, or under a new one. */
export interface ItemToKeep extends ItemFacts {
  id: number | null;
}

/** Which of the items that are written are which of those that are there. What is left over is to be deleted. */
export function writtenItems(present: readonly ContentItem[], written: readonly WrittenItemInput[]): ItemToKeep[] {
  const byId = new Map(present.map((item) => [item.id, item]));
  const byIdentifier = new Map(present.map((item) => [item.identifier, item]));
  const errors: FieldError[] = [];
  const seen = new Set<number | string>();
  const once = (field: string, value: number | string) => {
    if (seen.has(value)) errors.push({ field, rule: 'unique', message: `${field} ${value} is given more than once.` });
    seen.add(value);
  };
  const kept = written.map(({ id, ...given }, index): ItemToKeep => {
    const at = `items[${index}].`;
    if (id !== undefined && !byId.has(id)) {
      errors.push({
        field: `${at}id`,
        rule: 'known',
        message: `${at}id must be an item of this collection, not ${id}.`,
      });
    }
    const known = id === undefined ? byIdentifier.get(given.identifier ?? '') : byId.get(id);
    const facts = known ? changedItemFacts(known, given, at) : newItemFacts(given, at);
    if (known) once(`${at}id`, known.id);
    if (facts.identifier !== null) once(`${at}identifier`, facts.identifier);
    return { id: known?.id ?? null, ...facts };
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return kept;
}
