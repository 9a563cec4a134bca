import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Problem } from '../../problems.ts';
import { createPost } from '../publishing/index.ts';
import type { DemoPost } from './demo-posts.ts';
import type { CreatedLocation } from './ensure-locations.ts';

/**
 * Creates each post for half of its matching locations: the others keep the suggestion to post. `photoOf` returns the
 * URL of a picture. Returns the number of posts.
 */
export async function createPosts(
  transaction: Transaction,
  caller: Caller,
  created: readonly CreatedLocation[],
  posts: readonly DemoPost[],
  photoOf: (picture: string) => string | undefined,
): Promise<number> {
  let count = 0;
  for (const { business, language, picture, input } of posts) {
    const matching = created.filter(
      ({ plan, location }) =>
        plan.business.key === business && plan.language === language && location.status === 'ACTIVE',
    );
    const locationIds = matching.slice(0, Math.ceil(matching.length / 2)).map(({ location }) => location.id);
    const photo = picture === undefined ? undefined : photoOf(picture);
    if (locationIds.length === 0) continue;
    try {
      await createPost(transaction, caller, { ...input, locationIds, ...(photo && { photos: [{ photo }] }) });
      count += 1;
    } catch (error) {
      // In a small demo, no location may have a listing and a connected account: skip the post.
      if (!(error instanceof Problem)) throw error;
    }
  }
  return count;
}
