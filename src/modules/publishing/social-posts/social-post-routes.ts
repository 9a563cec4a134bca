import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { isDescending, longList, longListSchema, orderQuery, pageQuery } from '../../../http/pagination.ts';
import { deleteRoute, type RouteRequest, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { listLocationIds, locationStatuses } from '../../locations/index.ts';
import { visibleLabels } from '../assets/asset-targets.ts';
import { mergeStartAndPublicationDate, momentOf } from './post-rules.ts';
import { countPublicationsOf, listPublications } from './publication-store.ts';
import {
  Moment,
  NewPost,
  PostChange,
  PublicationResponse,
  postStatuses,
  postTypes,
  publicationResponse,
  type SocialPost,
  SocialPostResponse,
  socialPostResponse,
} from './social-post.ts';
import { countPosts, findPost, listPosts, lockPublishablePost, type PublishablePost } from './social-post-store.ts';
import { changePost, createPost, decidePost, deletePost } from './write-post.ts';

export function socialPostRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/social-posts',
    summary: 'List social posts by publication date, latest first',
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(Type.Array(Type.Enum([...postStatuses]))),
      type: Type.Optional(Type.Array(Type.Enum([...postTypes]))),
      directories: Type.Optional(Type.Array(Type.String({ maxLength: 50 }))),
      locationIds: Type.Optional(Type.Array(Id)),
      from: Type.Optional(Moment),
      to: Type.Optional(Moment),
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Words in the title or description' })),
      order: orderQuery('DESC', 'DESC lists the latest first'),
    }),
    needs: 'SOCIAL_POST_READ',
    response: longListSchema('socialPosts', SocialPostResponse),
    handler: async ({ caller, query }) => {
      const { from, to, ...others } = query;
      const filter = {
        ...others,
        ...(from !== undefined && { from: momentOf('from', from) }),
        ...(to !== undefined && { to: momentOf('to', to) }),
      };
      const [counted, posts] = await Promise.all([
        countPosts(database.pool, caller, filter),
        listPosts(database.pool, caller, filter, { ...query, descending: isDescending(query.order) }),
      ]);
      const labels = await visibleLabels(database.pool, caller, posts);
      const visible = await limitToAccessible(database.pool, caller, posts);
      return longList('socialPosts', query, counted, visible, (post) => socialPostResponse(post, labels));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/social-posts',
    summary: 'Create a post. It is published on its publication date, or immediately',
    body: NewPost,
    needs: 'SOCIAL_POST_WRITE',
    response: SocialPostResponse,
    problems: ['NOT_FOUND', 'OVERLAPPING_SOCIALPOST', 'NO_PAGE_SELECTED', 'NO_ACCOUNT_CONNECTED'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { post, warnings } = await createPost(transaction, request.caller, request.body);
        request.warnings.push(...warnings);
        return responseOf(transaction, request.caller, post);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/social-posts/:id',
    summary: 'Get a post',
    params: idParams,
    needs: 'SOCIAL_POST_READ',
    response: SocialPostResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      responseOf(database.pool, caller, requirePost(id, await findPost(database.pool, caller, id))),
  });

  for (const method of ['PATCH', 'PUT'] as const) {
    route(server, {
      method,
      path: '/api/social-posts/:id',
      summary: 'Update a post. Published posts are updated on the directories',
      params: idParams,
      body: PostChange,
      needs: 'SOCIAL_POST_WRITE',
      response: SocialPostResponse,
      problems: ['NOT_FOUND', 'CONFLICT', 'OVERLAPPING_SOCIALPOST'],
      handler: async (request) => {
        const { caller, body, params, grants } = request;
        requireChange(body, PostChange.properties, request.warnings);
        return database.transaction(async (transaction) => {
          const locked = await lockEditablePost(transaction, caller, params.id);
          const patch = grants.has('DATE_START_PUBLISHES') ? mergeStartAndPublicationDate(locked, body) : body;
          const { post, warnings } = await changePost(transaction, caller, locked, patch);
          request.warnings.push(...warnings);
          return responseOf(transaction, caller, post);
        });
      },
    });
  }

  deleteRoute(server, {
    path: '/api/social-posts/:id',
    summary: 'Delete a post and withdraw it from the directories',
    params: idParams,
    needs: 'SOCIAL_POST_WRITE',
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params: { id } }) => {
      await deletePost(transaction, caller, await lockEditablePost(transaction, caller, id));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/social-posts/:id/approve',
    summary: 'Approve a post',
    params: idParams,
    needs: 'SOCIAL_POST_WRITE',
    response: SocialPostResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => decide(request),
  });

  route(server, {
    method: 'POST',
    path: '/api/social-posts/:id/reject',
    summary: 'Reject a post with a reason',
    params: idParams,
    body: Type.Object({ reason: Type.String({ pattern: '\\S', maxLength: 1000, description: 'Must not be blank' }) }),
    needs: 'SOCIAL_POST_WRITE',
    response: SocialPostResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => decide(request, request.body.reason),
  });

  route(server, {
    method: 'GET',
    path: '/api/social-posts/:id/publications',
    summary: 'List the publications of a post with their status',
    params: idParams,
    query: Type.Object(pageQuery),
    needs: 'SOCIAL_POST_READ',
    response: longListSchema('publications', PublicationResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      requirePost(id, await findPost(database.pool, caller, id));
      const [counted, publications] = await Promise.all([
        countPublicationsOf(database.pool, caller, id),
        listPublications(database.pool, caller, id, query),
      ]);
      return longList('publications', query, counted, publications, publicationResponse);
    },
  });
}

const decide = (request: RouteRequest<typeof idParams, TSchema, TSchema, 'partner'>, rejectionReason?: string) =>
  idempotentTransaction(request, async (transaction) => {
    const { caller, params } = request;
    const post = await lockEditablePost(transaction, caller, params.id);
    return responseOf(transaction, caller, await decidePost(transaction, caller, post, rejectionReason));
  });

const requirePost = <Post>(id: number, post: Post | undefined): Post => requireFound(post, `social post ${id}`);

/** Locks the post. Callers with partial access can change posts for accessible targets only. */
async function lockEditablePost(transaction: Transaction, caller: Caller, id: number): Promise<PublishablePost> {
  requirePost(id, await findPost(transaction, caller, id));
  const post = requirePost(id, await lockPublishablePost(transaction, id));
  if (await canAccessTargets(transaction, caller, post)) return post;
  throw new Problem('FORBIDDEN', { message: `Social post ${id} is also for locations that you do not manage.` });
}

/** Labels can select all locations that were accessible to the user who selected the labels. */
async function canAccessTargets(sql: Sql, caller: Caller, post: PublishablePost): Promise<boolean> {
  const { businessIds } = reachOf(caller);
  if (businessIds === null) return true;
  const byLabel = post.labelIds.length > 0 ? post.reach : { businessIds: [], locationIds: [] };
  if (byLabel.businessIds === null || byLabel.locationIds === null) return false;
  if (![...post.businessIds, ...byLabel.businessIds].every((id) => businessIds.includes(id))) return false;
  const locationIds = [...post.locationIds, ...byLabel.locationIds];
  const accessible = await accessibleLocations(sql, caller, locationIds);
  return locationIds.every((id) => accessible.has(id));
}

async function accessibleLocations(sql: Sql, caller: Caller, given: readonly number[]): Promise<Set<number>> {
  const ids = [...new Set(given)];
  const filter = { partnerId: caller.partnerId, reach: reachOf(caller), filter: { ids, statuses: locationStatuses } };
  return new Set(ids.length > 0 ? await listLocationIds(sql, filter, ids.length) : []);
}

async function responseOf(sql: Sql, caller: Caller, post: SocialPost): Promise<Static<typeof SocialPostResponse>> {
  const [visible = post] = await limitToAccessible(sql, caller, [post]);
  return socialPostResponse(visible, await visibleLabels(sql, caller, [post]));
}

/** Removes targets that the caller cannot access. */
async function limitToAccessible(
  sql: Sql,
  caller: Caller,
  posts: readonly SocialPost[],
): Promise<readonly SocialPost[]> {
  const { businessIds } = reachOf(caller);
  if (businessIds === null) return posts;
  const accessible = await accessibleLocations(
    sql,
    caller,
    posts.flatMap(({ locationIds }) => locationIds),
  );
  return posts.map((post) => ({
    ...post,
    locationIds: post.locationIds.filter((id) => accessible.has(id)),
    businessIds: post.businessIds.filter((id) => businessIds.includes(id)),
  }));
}
