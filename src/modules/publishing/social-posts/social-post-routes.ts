import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { longList, longListSchema } from '../../../http/long-list.ts';
import { isDescending, orderQuery, pageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { notFound, Problem } from '../../../problems.ts';
import { findLabels } from '../../catalog/index.ts';
import { listLocationIds, locationStatuses } from '../../locations/index.ts';
import { listConditions, postConditions } from './post-conditions.ts';
import { momentOf, withOneDate } from './post-rules.ts';
import { PublicationAnswer, publicationAnswer } from './publication.ts';
import { countPublicationsOf, listPublications } from './publication-store.ts';
import {
  Moment,
  NewPost,
  PostChange,
  postStatuses,
  postTypes,
  type SocialPost,
  SocialPostAnswer,
  socialPostAnswer,
} from './social-post.ts';
import { countPosts, findPost, listPosts, lockPostUnderWay, type PostUnderWay } from './social-post-store.ts';
import { changePost, createPost, decidePost, deletePost } from './write-post.ts';

export function socialPostRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/social-posts',
    summary: 'Social posts by their date of publication, the latest first unless asked otherwise',
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(Type.Array(Type.Enum([...postStatuses]))),
      type: Type.Optional(Type.Array(Type.Enum([...postTypes]))),
      directories: Type.Optional(Type.Array(Type.String({ maxLength: 50 }))),
      locationIds: Type.Optional(Type.Array(Id)),
      from: Type.Optional(Moment),
      to: Type.Optional(Moment),
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the title or the text' })),
      order: orderQuery('DESC', 'DESC has the latest first'),
    }),
    needs: 'SOCIAL_POST_READ',
    response: longListSchema('socialPosts', SocialPostAnswer),
    handler: async ({ caller, query }) => {
      const { offset, max, after, status, type, directories, locationIds, from, to, query: words } = query;
      const wanted = {
        ...(status && { statuses: status }),
        ...(type && { types: type }),
        ...(directories && { directories }),
        ...(locationIds && { locationIds }),
        ...(from !== undefined && { from: momentOf('from', from) }),
        ...(to !== undefined && { to: momentOf('to', to) }),
        ...(words !== undefined && { query: words }),
      };
      const [counted, posts] = await Promise.all([
        countPosts(database.pool, listConditions(caller, wanted)),
        listPosts(database.pool, listConditions(caller, wanted), {
          offset,
          limit: max + 1,
          ...(after !== undefined && { after }),
          descending: isDescending(query.order),
        }),
      ]);
      const labels = await labelsOf(database.pool, caller, posts);
      const shown = await asSeenBy(database.pool, caller, posts);
      return longList('socialPosts', query, counted, shown, (post) => socialPostAnswer(post, labels));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/social-posts',
    summary: 'Write a post; it is published on its date, or now',
    body: NewPost,
    needs: 'SOCIAL_POST_WRITE',
    response: SocialPostAnswer,
    problems: ['NOT_FOUND', 'OVERLAPPING_SOCIALPOST', 'NO_PAGE_SELECTED', 'NO_ACCOUNT_CONNECTED'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { post, warnings } = await createPost(transaction, request.caller, request.body);
        request.warnings.push(...warnings);
        return answerOf(transaction, request.caller, post);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/social-posts/:id',
    summary: 'A post',
    params: idParams,
    needs: 'SOCIAL_POST_READ',
    response: SocialPostAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      answerOf(database.pool, caller, found(id, await findPost(database.pool, postConditions(caller), id))),
  });

  for (const method of ['PATCH', 'PUT'] as const) {
    route(server, {
      method,
      path: '/api/social-posts/:id',
      summary: 'Change a post; where it is published it is published again',
      params: idParams,
      body: PostChange,
      needs: 'SOCIAL_POST_WRITE',
      response: SocialPostAnswer,
      problems: ['NOT_FOUND', 'CONFLICT', 'OVERLAPPING_SOCIALPOST'],
      handler: async (request) => {
        const { caller, body, params, grants } = request;
        if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(PostChange.properties), request.warnings);
        return database.transaction(async (transaction) => {
          const locked = await changeable(transaction, caller, params.id);
          const patch = grants.has('DATE_START_PUBLISHES') ? withOneDate(locked, body) : body;
          const { post, warnings } = await changePost(transaction, caller, locked, patch);
          request.warnings.push(...warnings);
          return answerOf(transaction, caller, post);
        });
      },
    });
  }

  route(server, {
    method: 'DELETE',
    path: '/api/social-posts/:id',
    summary: 'Delete a post; it is withdrawn from where it is published',
    params: idParams,
    needs: 'SOCIAL_POST_WRITE',
    response: Type.Object({ success: Type.Literal(true) }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ caller, params: { id } }) =>
      database.transaction(async (transaction) => {
        await deletePost(transaction, caller, await changeable(transaction, caller, id));
        return { success: true as const };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/social-posts/:id/approve',
    summary: 'Approve a post that needs it',
    params: idParams,
    needs: 'SOCIAL_POST_WRITE',
    response: SocialPostAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const post = await changeable(transaction, request.caller, request.params.id);
        const decided = await decidePost(transaction, request.caller, post, { approved: true });
        return answerOf(transaction, request.caller, decided);
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/social-posts/:id/reject',
    summary: 'Reject a post that needs approval, and say why',
    params: idParams,
    body: Type.Object({ reason: Type.String({ pattern: '\\S', maxLength: 1000, description: 'Not only spaces' }) }),
    needs: 'SOCIAL_POST_WRITE',
    response: SocialPostAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const post = await changeable(transaction, request.caller, request.params.id);
        const decision = { approved: false as const, reason: request.body.reason };
        return answerOf(transaction, request.caller, await decidePost(transaction, request.caller, post, decision));
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/social-posts/:id/publications',
    summary: 'Where a post is published, and where and why not',
    params: idParams,
    query: Type.Object(pageQuery),
    needs: 'SOCIAL_POST_READ',
    response: longListSchema('publications', PublicationAnswer),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      found(id, await findPost(database.pool, postConditions(caller), id));
      const { offset, max, after = 0 } = query;
      const [counted, publications] = await Promise.all([
        countPublicationsOf(database.pool, id, reachOf(caller)),
        listPublications(database.pool, id, reachOf(caller), { after, offset, limit: max + 1 }),
      ]);
      return longList('publications', query, counted, publications, publicationAnswer);
    },
  });
}

const noPost = (id: number) => notFound(`social post ${id}`);

function found(id: number, post: SocialPost | undefined): SocialPost {
  if (!post) throw noPost(id);
  return post;
}

/** Locked. Somebody who sees a part of the partner's data changes what is for that part alone, or their own. */
async function changeable(transaction: Transaction, caller: Caller, id: number): Promise<PostUnderWay> {
  found(id, await findPost(transaction, postConditions(caller), id));
  const post = await lockPostUnderWay(transaction, id);
  if (!post) throw noPost(id);
  const { businessIds, locationIds } = reachOf(caller);
  if (businessIds === null || locationIds === null || post.createdBy === caller.by) return post;
  const isOfTheirBusinesses =
    post.labelIds.length === 0 && post.targetBusinessIds.every((business) => businessIds.includes(business));
  const isOfTheirLocations =
    post.labelIds.length + post.businessIds.length === 0 &&
    post.locationIds.every((location) => locationIds.includes(location));
  if (isOfTheirBusinesses || isOfTheirLocations) return post;
  throw new Problem('FORBIDDEN', { message: `Social post ${id} is also for locations that you do not manage.` });
}

async function labelsOf(sql: Sql, caller: Caller, posts: readonly SocialPost[]) {
  const ids = [...new Set(posts.flatMap(({ labelIds }) => labelIds))];
  return ids.length > 0 ? findLabels(sql, caller.partnerId, ids) : [];
}

async function answerOf(sql: Sql, caller: Caller, post: SocialPost): Promise<Static<typeof SocialPostAnswer>> {
  const [shown = post] = await asSeenBy(sql, caller, [post]);
  return socialPostAnswer(shown, await labelsOf(sql, caller, [post]));
}

/** Of what a post is for, somebody who sees a part of the partner's data sees that part. */
async function asSeenBy(sql: Sql, caller: Caller, posts: readonly SocialPost[]): Promise<readonly SocialPost[]> {
  const reach = reachOf(caller);
  const { businessIds } = reach;
  if (businessIds === null) return posts;
  const ids = [...new Set(posts.flatMap(({ locationIds }) => locationIds))];
  const wanted = { partnerId: caller.partnerId, reach, filter: { ids, statuses: locationStatuses } };
  const seen = new Set(ids.length > 0 ? await listLocationIds(sql, wanted, ids.length) : []);
  return posts.map((post) => ({
    ...post,
    locationIds: post.locationIds.filter((id) => seen.has(id)),
    businessIds: post.businessIds.filter((id) => businessIds.includes(id)),
  }));
}
