import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { type PostPhoto, type PostType, SocialPostResponse } from './social-post.ts';

const names = [
  'id',
  'type',
  'title',
  'description',
  'photos',
  'videos',
  'publicationDate',
  'dateStart',
  'dateEnd',
  'couponCode',
  'termsAndConditions',
] as const;

/** A post as visitors of a store finder see it. */
export const StoreFinderPost = Type.Object(Type.Pick(SocialPostResponse, names).properties, {
  title: 'StoreFinderPost',
});

/** Bounds the size of a public response. */
const maxPosts = 10;

/** Posts with isStoreLocator that a directory shows for the location, latest first. */
export async function listFinderPosts(
  sql: Sql,
  partnerId: number,
  locationId: number,
): Promise<Static<typeof StoreFinderPost>[]> {
  const published = db(sql)
    .selectFrom('socialPostPublications')
    .select('postId')
    .where('locationId', '=', locationId)
    .where('externalId', 'is not', null)
    .where('status', '<>', 'WITHDRAWING');
  const posts = await db(sql)
    .selectFrom('socialPosts')
    .select(names)
    .where('partnerId', '=', partnerId)
    .where('status', '=', 'ACTIVE')
    .where('isStoreLocator', '=', true)
    .where((eb) => eb.or([eb('dateEnd', 'is', null), eb('dateEnd', '>', raw<Date>`now()`)]))
    .where('id', 'in', published)
    .orderBy('publicationDate', 'desc')
    .orderBy('id', 'desc')
    .limit(maxPosts)
    .$narrowType<{ type: PostType; photos: PostPhoto[] }>()
    .execute();
  return posts.map((post) => recordResponse(StoreFinderPost, post));
}
