import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Problem } from '../../problems.ts';
import { createPost } from '../publishing/index.ts';
import type { DemoPost } from './demo-posts.ts';
import type { MadeLocation } from './make-locations.ts';

/**
 * Has the posts written, each for half of the locations that it could be for: the others still have something to do.
 * `photoOf` gives the address of a picture, where there is one. Answers how many there are.
 */
export async function makePosts(
  transaction: Transaction,
  caller: Caller,
  made: readonly MadeLocation[],
  posts: readonly DemoPost[],
  photoOf: (picture: string) => string | undefined,
): Promise<number> {
  let count = 0;
  for (const { business, language, picture, input } of posts) {
    const able = made.filter(
      ({ plan, location }) =>
        plan.business.key === business && plan.language === language && location.status === 'ACTIVE',
    );
    const locationIds = able.slice(0, Math.ceil(able.length / 2)).map(({ location }) => location.id);
    const photo = picture === undefined ? undefined : photoOf(picture);
    if (locationIds.length === 0) continue;
    try {
      await createPost(transaction, caller, { ...input, locationIds, ...(photo && { photos: [{ photo }] }) });
      count += 1;
    } catch (error) {
      // None of the few locations has a page and an account there: then there is no such post.
      if (!(error instanceof Problem)) throw error;
    }
  }
  return count;
}
