import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { parseId } from '../../../http/ids.ts';
import { filterNotFound, invalidField } from '../../../problems.ts';
import type { Partner } from './partner.ts';
import { findPartner } from './partner-store.ts';

type OwnedTable = {
  [Table in keyof DB]: DB[Table] extends { id: unknown; partnerId: unknown }
    ? { table: Table; key?: keyof DB[Table] }
    : never;
}[keyof DB];

/** Table per collection path. The first path parameter is the record's id or `key`. */
const tables: Readonly<Record<string, OwnedTable>> = {
  '/api/businesses': { table: 'businesses' },
  '/api/content-collections': { table: 'contentCollections' },
  '/api/dam/assets': { table: 'assets' },
  '/api/dam/folders': { table: 'assetFolders' },
  '/api/dashboard-exports': { table: 'tasks' },
  '/api/dashboard/excel-exports': { table: 'tasks' },
  '/api/dashboard/listing-health': { table: 'locations' },
  '/api/data-points': { table: 'datapoints' },
  '/api/data-points/filters': { table: 'datapointFilters' },
  '/api/directory-business-pages': { table: 'directoryBusinessPages' },
  '/api/labels': { table: 'labels' },
  '/api/listings': { table: 'listings' },
  '/api/location-imports': { table: 'tasks' },
  '/api/locations': { table: 'locations' },
  '/api/product-plans': { table: 'productPlans' },
  '/api/social-posts': { table: 'socialPosts' },
  '/api/social-templates': { table: 'assets' },
  '/api/store-finders': { table: 'storeFinders', key: 'storeKey' },
  '/api/tasks': { table: 'tasks' },
  '/api/users': { table: 'users' },
};

/** Lists that are the same for every partner, or that contain the child partners already. */
const unjoinedLists: ReadonlySet<string> = new Set(['/api/categories', '/api/sales-partners']);

/**
 * A parent's key can read, but not change, the records of its child partners: by id, and in lists with salesPartnerId or
 * includeChildren. The request then runs with the child as its caller.
 */
export function readChildRecords(server: FastifyInstance, sql: Sql): void {
  server.decorateRequest('partnersRead', null);
  server.addHook('onRequest', async (request) => {
    const { method, caller } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || !caller || caller.by === 'PUBLIC_KEY') return;
    const { salesPartnerId, includeChildren } = extractParameters(request);
    if (salesPartnerId !== undefined) {
      request.caller = await childCaller(sql, caller, salesPartnerId);
    } else if (includeChildren && isParentKey(caller) && isJoined(request)) {
      const children = await listDescendants(sql, caller.partnerId);
      request.partnersRead = [caller, ...children.map((child) => impersonate(caller, child))];
    } else if (isParentKey(caller)) {
      const owner = await findOwner(sql, request, caller.partnerId);
      if (owner) request.caller = impersonate(caller, owner);
    }
  });
}

/** The list of a record, such as the listings of a location, is that of its owner. */
const isJoined = ({ routeOptions: { url = '' } }: FastifyRequest) => !url.includes('/:') && !unjoinedLists.has(url);

type Owner = Pick<Partner, 'id' | 'identifier'>;

/** Users never read records of child partners. */
const isParentKey = ({ user, hasChildren = false }: Caller) => !user && hasChildren;

const impersonate = (caller: Caller, { id, identifier }: Owner): Caller => ({
  ...caller,
  keyPartnerId: caller.partnerId,
  partnerId: id,
  partnerIdentifier: identifier,
});

/** Reads both parameters and removes them from the query, unless the route declares them itself. */
function extractParameters(request: FastifyRequest): { salesPartnerId?: string; includeChildren?: boolean } {
  const { isList = false, ownQuery = [] } = request.routeOptions.config;
  const query = { ...(request.query as Record<string, unknown>) };
  const extract = (name: string): string | undefined => {
    if (!Object.hasOwn(query, name) || ownQuery.includes(name)) return undefined;
    const value = String(query[name]);
    delete query[name];
    request.query = query;
    return value;
  };
  const salesPartnerId = extract('salesPartnerId');
  const children = isList ? extract('includeChildren') : undefined;
  if (children !== undefined && !/^(true|false|)$/i.test(children)) {
    throw invalidField('includeChildren', 'type', `includeChildren must be true or false, not "${children}".`);
  }
  return {
    ...(salesPartnerId && { salesPartnerId }),
    ...(children !== undefined && { includeChildren: children.toLowerCase() === 'true' }),
  };
}

async function childCaller(sql: Sql, caller: Caller, salesPartnerId: string): Promise<Caller> {
  if (salesPartnerId === String(caller.partnerId)) return caller;
  const id = parseId(salesPartnerId);
  const child = isParentKey(caller) && id !== undefined ? await findPartner(sql, caller.partnerId, id) : undefined;
  if (!child) throw filterNotFound('salesPartnerId', `sales partner ${salesPartnerId.slice(0, 20)}`);
  return impersonate(caller, child);
}

const descendants = defineStatement<Owner>({
  name: 'list-descendants',
  text: 'select id, identifier from sales_partners where id <> $1 and $1 = any (lineage) order by id',
  columns: { id: 'int8', identifier: 'text' },
});

const listDescendants = (sql: Sql, parentId: number): Promise<Owner[]> => run(sql, descendants, [parentId]);

/** The child partner that owns the record in the request path. */
async function findOwner(sql: Sql, request: FastifyRequest, parentId: number): Promise<Owner | undefined> {
  const { url = '' } = request.routeOptions;
  const [collection = '', parameter] = url.split('/:');
  const source = parameter === undefined ? undefined : tables[collection];
  const [id] = Object.values(request.params as Record<string, string>);
  if (!source || id === undefined) return undefined;
  const { table, key = 'id' } = source;
  if (key === 'id' && parseId(id) === undefined) return undefined;
  return db(sql)
    .selectFrom('salesPartners as partner')
    .innerJoin(raw<{ partnerId: number }>`${raw.table(table)}`.as('record'), 'record.partnerId', 'partner.id')
    .select(['partner.id', 'partner.identifier'])
    .where(raw.ref(`record.${key}`), '=', id)
    .where('partner.id', '<>', parentId)
    .where((eb) => eb(eb.val(parentId), '=', eb.fn.any('partner.lineage')))
    .executeTakeFirst();
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for a list with includeChildren: the caller and its child partners. */
    partnersRead: readonly Caller[] | null;
  }
  interface FastifyContextConfig {
    /** Whether the response is a page of records with their count. */
    isList?: boolean;
    /** Which of salesPartnerId and includeChildren the route handles itself. */
    ownQuery?: readonly string[];
  }
}
