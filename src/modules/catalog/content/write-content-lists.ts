import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { reaches, reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Id } from '../../../http/ids.ts';
import { type FieldError, fieldError, Problem, requireFound } from '../../../problems.ts';
import { normalizeText } from '../../../text.ts';
import { actorOf } from '../../accounts/index.ts';
import {
  type ContentCollection,
  type ContentList,
  contentTypes,
  maxItems,
  WrittenItem,
  writtenItems,
} from './content.ts';
import { recordItemChange } from './content-changes.ts';
import { isUsedOnlyBy } from './content-list-store.ts';
import { findCollection, holdCollections, insertCollection, replaceItems } from './content-store.ts';

const ContentListInput = Type.Object(
  {
    id: Type.Optional(Type.Integer({ ...Id, description: 'Existing list of the location, instead of collectionId' })),
    collectionId: Type.Optional(Id),
    name: Type.Optional(Type.String({ pattern: '\\S', maxLength: 200, description: "Default: the collection's name" })),
    collection: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(
            Type.Enum([...contentTypes], { description: 'Type of a new collection. Default: OTHER.' }),
          ),
          items: Type.Array(WrittenItem, { maxItems: maxItems }),
        },
        { description: 'All items of the collection, or of a new collection without collectionId and id' },
      ),
    ),
  },
  { title: 'ContentListInput', 'x-resource': 'ContentList' },
);
type ContentListInput = Static<typeof ContentListInput>;

export const ContentLists = Type.Object({
  contentLists: Type.Array(ContentListInput, {
    maxItems: 50,
    description: 'All lists in order. Lists that are not included are removed from the location.',
  }),
});

export interface NamedList {
  collectionId: number;
  name: string;
}

/** Resolves each list to a collection, creates missing collections and writes items that come with the lists. */
export async function writtenLists(
  transaction: Transaction,
  caller: Caller,
  location: { id: number; businessId: number },
  before: readonly ContentList[],
  given: readonly ContentListInput[],
): Promise<{ lists: NamedList[]; itemsWritten: boolean }> {
  const { businessId } = location;
  const requested = given.map((list) => ({ ...list, collectionId: collectionOf(list, before) }));
  const ids = requested.flatMap(({ collectionId }) => collectionId ?? []);
  const existing = before.map(({ collectionId }) => collectionId);
  const purpose = requested.some(({ collection }) => collection) ? 'write' : 'read';
  const known = await holdCollections(transaction, caller.partnerId, businessId, { ids, existing }, purpose);
  const errors = requested.flatMap((list, index) => errorsOf(list, index, requested, known, businessId));
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  const lists: NamedList[] = [];
  let itemsWritten = false;
  for (const [index, { collectionId, name, collection }] of requested.entries()) {
    const path = `contentLists[${index}].collection.`;
    if (collectionId === undefined) {
      lists.push(await newCollection(transaction, caller, businessId, { name: name as string, path, ...collection }));
      itemsWritten = true;
      continue;
    }
    if (collection && (await writeItems(transaction, caller, location.id, collectionId, collection.items, path))) {
      itemsWritten = true;
    }
    lists.push({
      collectionId,
      name: name === undefined ? (known.get(collectionId)?.name as string) : normalizeText(name),
    });
  }
  return { lists, itemsWritten };
}

/** Old API versions identify a list by its id or its name. */
function collectionOf({ id, collectionId, name, collection }: ContentListInput, before: readonly ContentList[]) {
  if (collectionId !== undefined) return collectionId;
  if (id !== undefined) return before.find((list) => list.id === id)?.collectionId;
  if (!collection || name === undefined) return undefined;
  return before.find((list) => list.name === normalizeText(name))?.collectionId;
}

type RequestedList = Omit<ContentListInput, 'collectionId'> & { collectionId: number | undefined };

function errorsOf(
  { id, collectionId, name, collection }: RequestedList,
  index: number,
  all: readonly RequestedList[],
  known: ReadonlyMap<number, unknown>,
  businessId: number,
): FieldError[] {
  const at = `contentLists[${index}]`;
  const field = `${at}.collectionId`;
  if (collectionId === undefined) {
    if (id !== undefined) {
      return [fieldError(`${at}.id`, 'known', `must be the id of a content list of the location, not ${id}`)];
    }
    if (!collection) return [fieldError(field, 'required', 'is required')];
    return name === undefined ? [fieldError(`${at}.name`, 'required', 'is required for a new collection')] : [];
  }
  if (!known.has(collectionId)) {
    const problem = `must be the id of a collection of the location's business ${businessId}, not ${collectionId}`;
    return [fieldError(field, 'known', problem)];
  }
  const isFirst = all.findIndex((other) => other.collectionId === collectionId) === index;
  return isFirst ? [] : [fieldError(field, 'unique', `${collectionId} occurs more than once`)];
}

type Items = NonNullable<ContentListInput['collection']>['items'];

/** Changes the collection for all locations that use it. Returns false if nothing differs. */
async function writeItems(
  transaction: Transaction,
  caller: Caller,
  locationId: number,
  collectionId: number,
  items: Items,
  path: string,
): Promise<boolean> {
  const found = await findCollection(transaction, caller.partnerId, collectionId);
  const collection = requireFound(found, `content collection ${collectionId}`);
  const written = writtenItems(collection.items, items, path);
  if (isDeepStrictEqual(collection.items, written)) return false;
  await requireAccess(transaction, caller, collection);
  await replaceItems(transaction, collectionId, written);
  await recordItemChange(transaction, caller, collectionId, locationId);
  return true;
}

/** Users without access to the business can change collections that only their locations use. */
async function requireAccess(transaction: Transaction, caller: Caller, { id, businessId }: ContentCollection) {
  const reach = reachOf(caller);
  if (reaches(reach, { businessId }) || (await isUsedOnlyBy(transaction, id, reach.locationIds ?? []))) return;
  throw new Problem('FORBIDDEN', {
    message: `Changing the items of collection ${id} requires access to business ${businessId}, because your locations are not the only ones that use it.`,
  });
}

async function newCollection(
  transaction: Transaction,
  caller: Caller,
  businessId: number,
  {
    name,
    path,
    type = 'OTHER',
    items = [],
  }: { name: string; path: string } & Partial<NonNullable<ContentListInput['collection']>>,
): Promise<NamedList> {
  const collection = { businessId, type, name: normalizeText(name), identifier: null };
  const collectionId = await insertCollection(transaction, caller.partnerId, collection);
  await replaceItems(transaction, collectionId, writtenItems([], items, path));
  await recordAudit(transaction, actorOf(caller), 'CREATED', 'CONTENT_COLLECTION', collectionId);
  return { collectionId, name: collection.name };
}
