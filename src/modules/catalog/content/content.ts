import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import { type FieldError, Problem } from '../../../problems.ts';
import { currencyCode, notACurrency } from '../../../values/countries.ts';

export const contentTypes = ['MENU', 'PRODUCTS', 'PEOPLE', 'EVENTS', 'OTHER'] as const;
export type ContentType = (typeof contentTypes)[number];

/** What an item says. */
export interface ItemFacts {
  identifier: string | null;
  name: string;
  description: string | null;
  /** Where its picture is: a single one. */
  image: string | null;
  url: string | null;
  /** Minor units of the currency. Both or neither are there. */
  price: number | null;
  currency: string | null;
  attributes: Record<string, unknown>;
}

export interface ContentItem extends ItemFacts {
  id: number;
}

/** Items that locations of a business show, each in lists of its own. */
export interface ContentCollection {
  id: number;
  businessId: number;
  type: ContentType;
  name: string;
  identifier: string | null;
  items: ContentItem[];
  dateCreated: Date;
  lastUpdated: Date;
}

/** A list that a location shows; its items lie in a collection, which other locations may show as well. */
export interface ContentList {
  id: number;
  name: string;
  type: ContentType;
  collectionId: number;
  items: ContentItem[];
}

export const mostItems = 1000;

const link = deletable(
  Type.String({
    pattern: '^https?://\\S+$',
    maxLength: 2000,
    description: 'An address that begins with https:// or http://',
  }),
);

const itemFields = {
  identifier: Type.Optional(
    deletable(Type.String({ pattern: '\\S', maxLength: 100, description: 'Used once only in its collection' })),
  ),
  description: Type.Optional(deletable(Type.String({ maxLength: 5000 }))),
  image: Type.Optional(link),
  url: Type.Optional(link),
  price: Type.Optional(
    deletable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'In minor units of the currency' })),
  ),
  currency: Type.Optional(deletable(Type.String({ description: 'A currency code of three letters such as EUR' }))),
  attributes: Type.Optional(
    deletable(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'Whatever else there is to say' })),
  ),
};

const itemName = Type.String({ pattern: '\\S', maxLength: 500, description: 'Not only spaces' });

const kind = { 'x-resource': 'ContentItem' };

export const NewItem = Type.Object({ name: itemName, ...itemFields }, { title: 'NewContentItem', ...kind });
export const ItemChange = Type.Object(
  { name: Type.Optional(itemName), ...itemFields },
  { title: 'ContentItemChange', ...kind },
);
export type ItemChangeInput = Static<typeof ItemChange>;

/** In a collection that is written as a whole an item is the one with the same id or identifier, or a new one. */
export const WrittenItem = Type.Object(
  { id: Type.Optional(Id), name: itemName, ...itemFields },
  { title: 'WrittenContentItem', ...kind },
);
export type WrittenItemInput = Static<typeof WrittenItem>;

const answerText = Type.Optional(Type.String());

export const ItemResponse = Type.Object(
  {
    id: Type.Integer(),
    identifier: answerText,
    name: Type.String(),
    description: answerText,
    image: answerText,
    url: answerText,
    price: Type.Optional(Type.Integer()),
    currency: answerText,
    attributes: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'ContentItem', ...kind },
);

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

export function itemResponse({ id, name, attributes, ...rest }: ContentItem): Static<typeof ItemResponse> {
  const { identifier, description, image, url, price, currency } = rest;
  const given = Object.entries({ identifier, description, image, url, price, currency });
  return { id, name, ...Object.fromEntries(given.filter(([, value]) => value !== null)), attributes };
}

export const contentListResponse = ({ items, ...list }: ContentList): Static<typeof ContentListResponse> => ({
  ...list,
  items: items.map(itemResponse),
});

const unwritten: ItemFacts = {
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
  changedItemFacts(unwritten, given, path);

/** `path` is where in the request the item stands, such as `items[2].`. */
export function changedItemFacts(facts: ItemFacts, change: ItemChangeInput, path = ''): ItemFacts {
  const errors: FieldError[] = [];
  const given = changedText(facts.currency, change.currency);
  const currency = given === null ? null : (currencyCode(given) ?? null);
  if (given !== null && currency === null) {
    errors.push({ field: `${path}currency`, rule: 'currency', message: `${path}currency ${notACurrency}.` });
  }
  const price = change.price === undefined ? facts.price : change.price;
  if (price !== null && given === null) {
    errors.push({ field: `${path}currency`, rule: 'required', message: `${path}currency is required with a price.` });
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return {
    identifier: changedText(facts.identifier, change.identifier),
    name: change.name?.trim() ?? facts.name,
    description: changedText(facts.description, change.description),
    image: changedText(facts.image, change.image),
    url: changedText(facts.url, change.url),
    price,
    currency: price === null ? null : currency,
    attributes: change.attributes === undefined ? facts.attributes : (change.attributes ?? {}),
  };
}

export function changedText(value: string | null, change: string | null | undefined): string | null {
  if (change === undefined) return value;
  return change?.trim() || null;
}
