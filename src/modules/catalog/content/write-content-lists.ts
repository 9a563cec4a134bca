import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Id } from '../../../http/ids.ts';
import { type FieldError, Problem } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { lockedCollection } from './collection-routes.ts';
import { holdCollections, insertCollection, touchCollection } from './collection-store.ts';
import { type ContentList, contentTypes, mostItems, WrittenItem } from './content.ts';
import { writtenItems } from './content-collection.ts';
import { replaceItems } from './item-store.ts';

const ContentListInput = Type.Object(
  {
    id: Type.Optional(Type.Integer({ ...Id, description: 'A list that the location has, in place of collectionId' })),
    collectionId: Type.Optional(Id),
    name: Type.Optional(
      Type.String({ pattern: '\\S', maxLength: 200, description: "The collection's own name unless it is given" }),
    ),
    collection: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(Type.Enum([...contentTypes], { description: 'Of a new one; OTHER unless it is given' })),
          items: Type.Array(WrittenItem, { maxItems: mostItems }),
        },
        { description: 'All items at once: of the collection that is named, or of a new one' },
      ),
    ),
  },
  { title: 'ContentListInput', 'x-resource': 'ContentList' },
);
type ContentListInput = Static<typeof ContentListInput>;

export const ContentLists = Type.Object({
  contentLists: Type.Array(ContentListInput, {
    maxItems: 50,
    description: 'All lists in their order; those not given are taken off the location',
  }),
});

export interface NamedList {
  collectionId: number;
  name: string;
}

/** The lists that a location is to have, each with a collection that is there; items that come with them are written. */
export async function writtenLists(
  transaction: Transaction,
  caller: Caller,
  businessId: number,
  before: readonly ContentList[],
  given: readonly ContentListInput[],
): Promise<{ lists: NamedList[]; itemsWritten: boolean }> {
  const wanted = given.map((list) => ({ ...list, collectionId: collectionOf(list, before) }));
  const known = await holdCollections(
    transaction,
    caller.partnerId,
    businessId,
    wanted.flatMap(({ collectionId }) => collectionId ?? []),
  );
  const errors = wanted.flatMap((list, index) => errorsOf(list, index, wanted, known, businessId));
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  const lists: NamedList[] = [];
  let itemsWritten = false;
  for (const { collectionId, name, collection } of wanted) {
    if (collectionId === undefined) {
      lists.push(await newCollection(transaction, caller, businessId, { name: name as string, ...collection }));
      itemsWritten = true;
      continue;
    }
    if (collection && (await writeItems(transaction, caller, collectionId, collection.items))) itemsWritten = true;
    lists.push({ collectionId, name: name?.trim() ?? (known.get(collectionId)?.name as string) });
  }
  return { lists, itemsWritten };
}

/** Clients of old versions name a list by its id, or by nothing but its name. */
function collectionOf({ id, collectionId, name, collection }: ContentListInput, before: readonly ContentList[]) {
  if (collectionId !== undefined) return collectionId;
  if (id !== undefined) return before.find((list) => list.id === id)?.collectionId;
  return collection && before.find((list) => list.name === name)?.collectionId;
}

type Wanted = Omit<ContentListInput, 'collectionId'> & { collectionId: number | undefined };

function errorsOf(
  { id, collectionId, name, collection }: Wanted,
  index: number,
  all: readonly Wanted[],
  known: ReadonlyMap<number, unknown>,
  businessId: number,
): FieldError[] {
  const at = `contentLists[${index}]`;
  const field = `${at}.collectionId`;
  if (collectionId === undefined) {
    if (id !== undefined) return [{ field: `${at}.id`, rule: 'known', message: `The location has no list ${id}.` }];
    if (!collection) return [{ field, rule: 'required', message: `${field} is required.` }];
    if (name === undefined) {
      return [{ field: `${at}.name`, rule: 'required', message: `${at}.name is required for a new collection.` }];
    }
    return [];
  }
  if (!known.has(collectionId)) {
    const message = `${field} must be a collection of the location's business ${businessId}; there is no collection ${collectionId}.`;
    return [{ field, rule: 'known', message }];
  }
  const isFirst = all.findIndex((other) => other.collectionId === collectionId) === index;
  return isFirst ? [] : [{ field, rule: 'unique', message: `${field} ${collectionId} is given twice.` }];
}

type Items = NonNullable<ContentListInput['collection']>['items'];

/** A collection that several locations show changes for all of them. Says whether anything differs. */
async function writeItems(transaction: Transaction, caller: Caller, id: number, items: Items): Promise<boolean> {
  const collection = await lockedCollection(transaction, caller, id);
  const written = writtenItems(collection.items, items);
  if (isDeepStrictEqual(collection.items, written)) return false;
  await replaceItems(transaction, id, written);
  await touchCollection(transaction, id);
  await audit(transaction, caller, 'CHANGED', id);
  return true;
}

async function newCollection(
  transaction: Transaction,
  caller: Caller,
  businessId: number,
  { name, type = 'OTHER', items = [] }: { name: string } & Partial<NonNullable<ContentListInput['collection']>>,
): Promise<NamedList> {
  const collection = { businessId, type, name: name.trim(), identifier: null };
  const collectionId = await insertCollection(transaction, caller.partnerId, collection);
  await replaceItems(transaction, collectionId, writtenItems([], items));
  await audit(transaction, caller, 'CREATED', collectionId);
  return { collectionId, name: collection.name };
}

const audit = (transaction: Transaction, caller: Caller, action: string, subjectId: number) =>
  recordAudit(transaction, actorOf(caller), { action, subject: 'CONTENT_COLLECTION', subjectId });
