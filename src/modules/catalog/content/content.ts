import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { ContentCollections, ContentItems } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { deletable, deletableField } from '../../../http/validation.ts';
import { type FieldError, fieldError, Problem } from '../../../problems.ts';
import { changedText, normalizeText } from '../../../text.ts';
import { currencyCode, notACurrency } from '../../../values/countries.ts';
import { httpScheme } from '../../../values/urls.ts';

export const contentTypes = ['MENU', 'PRODUCTS', 'PEOPLE', 'EVENTS', 'OTHER'] as const;

/** Price and currency: both or neither are set. */
export type ContentItem = Omit<Selectable<ContentItems>, 'collectionId' | 'position' | 'attributes'> & {
  attributes: Record<string, unknown>;
};
export type ItemFacts = Omit<ContentItem, 'id'>;

/** Items of a business. Locations include them as content lists. */
export type ContentCollection = Omit<Selectable<ContentCollections>, 'partnerId' | 'type'> & {
  type: (typeof contentTypes)[number];
  items: ContentItem[];
};

/** A location's use of a collection. Several locations can share a collection. */
export interface ContentList extends Pick<ContentCollection, 'id' | 'name' | 'type' | 'items'> {
  collectionId: number;
}

export const maxItems = 1000;

/** Items in the response of a list: 10 MB of 500 bytes each. Pages end before it, after at least one record. */
export const maxListedItems = 20_000;

export const itemLimitWarning = (asked: number, max: number) =>
  `max=${asked} was capped at ${max}: a response contains at most ${maxListedItems} content items.`;

const maxAttributesLength = 10_000;

const link = deletable(
  Type.String({
    pattern: `^${httpScheme}[^\\s/?#@]+([/?#]\\S*)?$`,
    maxLength: 2000,
    description: 'A URL that begins with https:// or http://, without user name and password',
  }),
);

const itemFields = {
  identifier: deletableField(
    Type.String({ pattern: '\\S', maxLength: 100, description: 'Unique within the collection' }),
  ),
  description: deletableField(Type.String({ maxLength: 5000 })),
  image: Type.Optional(link),
  url: Type.Optional(link),
  price: deletableField(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'In minor units of the currency' }),
  ),
  currency: deletableField(Type.String({ description: 'Currency code (ISO 4217) such as EUR' })),
  attributes: deletableField(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: `Additional properties, up to ${maxAttributesLength} characters of JSON`,
    }),
  ),
};

const itemName = Type.String({ pattern: '\\S', maxLength: 500, description: 'Not blank' });

const itemSchema = <Fields extends Type.TProperties>(title: string, fields: Fields) =>
  Type.Object(fields, { title, 'x-resource': 'ContentItem' });

export const NewItem = itemSchema('NewContentItem', { name: itemName, ...itemFields });
export const ItemChange = itemSchema('ContentItemChange', { name: Type.Optional(itemName), ...itemFields });
type ItemChangeInput = Static<typeof ItemChange>;

/** Matched with an existing item by id or identifier; otherwise a new item. */
export const WrittenItem = itemSchema('WrittenContentItem', { id: Type.Optional(Id), name: itemName, ...itemFields });

const optionalText = Type.Optional(Type.String());

export const ItemResponse = itemSchema('ContentItem', {
  id: Type.Integer(),
  identifier: optionalText,
  name: Type.String(),
  description: optionalText,
  image: optionalText,
  url: optionalText,
  price: Type.Optional(Type.Integer()),
  currency: optionalText,
  attributes: Type.Record(Type.String(), Type.Unknown()),
});

export const ContentListResponse = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    type: Type.Enum([...contentTypes]),
    collectionId: Type.Integer(),
    items: Type.Array(ItemResponse),
  },
  { title: 'ContentList', 'x-resource': 'ContentList' },
);

export const itemResponse = (item: ContentItem): Static<typeof ItemResponse> => recordResponse(ItemResponse, item);

export const contentListResponse = ({ items, ...list }: ContentList): Static<typeof ContentListResponse> => ({
  ...list,
  items: items.map(itemResponse),
});

const emptyFacts: ItemFacts = {
  identifier: null,
  name: '',
  description: null,
  image: null,
  url: null,
  price: null,
  currency: null,
  attributes: {},
};

export const newItemFacts = (given: Static<typeof NewItem>, path = ''): ItemFacts =>
  changedItemFacts(emptyFacts, given, path);

/** `path` is the item's path in the request, such as `items[2].`. */
export function changedItemFacts(facts: ItemFacts, change: ItemChangeInput, path = ''): ItemFacts {
  const errors: FieldError[] = [];
  const given = changedText(facts.currency, change.currency);
  const currency = given === null ? null : (currencyCode(given) ?? null);
  if (given !== null && currency === null) {
    errors.push(fieldError(`${path}currency`, 'currency', notACurrency));
  }
  const price = change.price === undefined ? facts.price : change.price;
  if (price !== null && given === null) {
    errors.push(fieldError(`${path}currency`, 'required', 'is required with a price'));
  }
  // Attributes stored before there was a limit can be written back as read.
  const isChanged = change.attributes && !isDeepStrictEqual(change.attributes, facts.attributes);
  if (isChanged && JSON.stringify(change.attributes).length > maxAttributesLength) {
    errors.push(
      fieldError(`${path}attributes`, 'maxLength', `must have at most ${maxAttributesLength} characters of JSON`),
    );
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return {
    identifier: changedText(facts.identifier, change.identifier),
    name: changedText(facts.name, change.name) ?? facts.name,
    description: changedText(facts.description, change.description),
    image: changedText(facts.image, change.image),
    url: changedText(facts.url, change.url),
    price,
    currency: price === null ? null : currency,
    attributes: change.attributes === undefined ? facts.attributes : (change.attributes ?? {}),
  };
}

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'Display name, not blank' });
const identifier = deletableField(
  Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own id of the collection, unique" }),
);
const items = Type.Optional(
  Type.Array(WrittenItem, {
    maxItems,
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

export const collectionFilter = {
  businessId: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
  type: Type.Optional(Type.Array(Type.Enum([...contentTypes]))),
  query: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })),
};

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

export const collectionResponse = (collection: ContentCollection): Static<typeof CollectionResponse> =>
  recordResponse(CollectionResponse, { ...collection, items: collection.items.map(itemResponse) });

/** `id` is null for a new item. */
export type ItemToKeep = ItemFacts & { id: number | null };

/**
 * Matches the items of a request with existing items by id or identifier. Existing items without a match are deleted.
 * `path` is the path of `items` in the request, such as `contentLists[0].collection.`.
 */
export function writtenItems(
  present: readonly ContentItem[],
  written: readonly Static<typeof WrittenItem>[],
  path = '',
): ItemToKeep[] {
  const byId = new Map(present.map((item) => [item.id, item]));
  const byIdentifier = new Map(present.map((item) => [item.identifier, item]));
  const errors: FieldError[] = [];
  const seen = new Set<number | string>();
  const checkUnique = (field: string, value: number | string) => {
    if (seen.has(value)) errors.push(fieldError(field, 'unique', `${value} occurs more than once`));
    seen.add(value);
  };
  const kept = written.map(({ id, ...given }, index): ItemToKeep => {
    const at = `${path}items[${index}].`;
    if (id !== undefined && !byId.has(id)) {
      errors.push(fieldError(`${at}id`, 'known', `must be the id of an item in this collection, not ${id}`));
    }
    const known = id === undefined ? byIdentifier.get(normalizeText(given.identifier ?? '')) : byId.get(id);
    const facts = known ? changedItemFacts(known, given, at) : newItemFacts(given, at);
    if (known) checkUnique(`${at}id`, known.id);
    if (facts.identifier !== null) checkUnique(`${at}identifier`, facts.identifier);
    return { id: known?.id ?? null, ...facts };
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return kept;
}
