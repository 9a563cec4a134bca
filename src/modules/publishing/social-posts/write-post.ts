import { databaseNow } from '../../../database/database-clock.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { type Reach, reaches, reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { defineJob } from '../../../jobs/job.ts';
import { invalidField, Problem, unknownReference } from '../../../problems.ts';
import { actorOf, managesAccount } from '../../accounts/index.ts';
import { findBusiness, findLabels, findLabelsByName } from '../../catalog/index.ts';
import { directoryList } from '../../directories/index.ts';
import { findLocations } from '../../locations/index.ts';
import { findPostPlaces, haveLocationInCommon } from './post-place-store.ts';
import {
  changedContent,
  checkContent,
  checkMove,
  isSettable,
  newContent,
  type SettableStatus,
  settableStatuses,
} from './post-rules.ts';
import { obstacleOf, type PostPlace } from './publication.ts';
import { withdrawPublications } from './publication-store.ts';
import type { PostContent, PostInput, PostPatch, PostStatus, PostTargets, SocialPost } from './social-post.ts';
import {
  findSameWords,
  insertPost,
  type PostFrame,
  type PostUnderWay,
  setPostStatus,
  takeTurnsWriting,
  updatePost,
} from './social-post-store.ts';

/** Publishes, updates and ends a post, whatever is due. */
export const postJob = defineJob<{ postId: number }>('social-posts.work', {
  key: ({ postId }) => `social-post-${postId}`,
  requested: true,
});

/** What a writer is told beside the post. */
export interface WrittenPost {
  post: SocialPost;
  warnings: string[];
}

const needsApproval = ({ user }: Caller) => user?.role === 'LOCATION_MANAGER';

export async function createPost(transaction: Transaction, caller: Caller, input: PostInput): Promise<WrittenPost> {
  const now = await databaseNow(transaction);
  const content = newContent(await withLabelIds(transaction, caller.partnerId, input), now);
  checkContent(content, directoryList);
  checkEnd(content, now);
  const targetBusinessIds = await businessesOf(transaction, caller, content);
  const frame: PostFrame = {
    status: needsApproval(caller) ? 'APPROVAL_NEEDED' : 'SCHEDULED',
    targetBusinessIds,
    reach: reachOf(caller),
  };
  const warnings = await checkPlaces(transaction, caller.partnerId, content, frame, now);
  const post = await insertPost(transaction, { partnerId: caller.partnerId, createdBy: caller.by }, content, frame);
  await enqueueWork(transaction, post);
  await audit(transaction, caller, 'CREATED', post, { status: post.status });
  return { post, warnings };
}

/** For a post that this transaction has locked and the caller may change. */
export async function changePost(
  transaction: Transaction,
  caller: Caller,
  post: PostUnderWay,
  given: PostPatch,
): Promise<WrittenPost> {
  const now = await databaseNow(transaction);
  if (post.status === 'DELETED' || post.status === 'ENDED') throw isOver(post);
  const patch = withMove(post, given);
  const content = changedContent(post, await withLabelIds(transaction, caller.partnerId, patch), now);
  checkContent(content, directoryList);
  const status = nextStatus(caller, post, patch, content, now);
  if (status !== 'INACTIVE') checkEnd(content, now);
  const isRetargeted = 'locationIds' in patch || 'businessIds' in patch || 'labels' in patch;
  const frame: PostFrame = {
    status,
    targetBusinessIds: isRetargeted ? await businessesOf(transaction, caller, content) : post.targetBusinessIds,
    reach: isRetargeted ? reachOf(caller) : post.reach,
  };
  const warnings =
    status === 'INACTIVE' ? [] : await checkPlaces(transaction, caller.partnerId, content, frame, now, post);
  const changed = await updatePost(transaction, post, content, frame);
  if (status !== 'ACTIVE') await withdrawPublications(transaction, post.id);
  await enqueueWork(transaction, changed);
  await audit(transaction, caller, 'UPDATED', changed, { fields: Object.keys(patch) });
  return { post: changed, warnings };
}

type Move = Omit<PostPatch, 'status'> & { status?: SettableStatus };

/** A post that is written back as it was read has a status that is none to set, and asks for nothing by it. */
function withMove(post: SocialPost, { status, ...patch }: PostPatch): Move {
  if (status === undefined) return patch;
  if (isSettable(status)) {
    checkMove(post.id, post.status, status);
    return { ...patch, status };
  }
  if (status === post.status) return patch;
  const message = `status must be ${settableStatuses.join(' or ')}, or ${post.status} as it is.`;
  throw invalidField('status', 'enum', message);
}

function nextStatus(
  caller: Caller,
  { id, status }: SocialPost,
  patch: Move,
  content: PostContent,
  now: Date,
): PostStatus {
  if (patch.status === 'INACTIVE') return 'INACTIVE';
  if (needsApproval(caller)) {
    if (status !== 'ACTIVE') return 'APPROVAL_NEEDED';
    throw new Problem('FORBIDDEN', {
      message: `Social post ${id} is published. Its changes need a BUSINESS_MANAGER or above; you are LOCATION_MANAGER.`,
    });
  }
  if (patch.status === 'SCHEDULED' || status === 'IMPOSSIBLE') return 'SCHEDULED';
  // Published for a later time than now: it is taken away until then.
  return status === 'ACTIVE' && content.publicationDate > now ? 'SCHEDULED' : status;
}

/** Says yes or no to a post that needs it. */
export async function decidePost(
  transaction: Transaction,
  caller: Caller,
  post: SocialPost,
  decision: { approved: true } | { approved: false; reason: string },
): Promise<SocialPost> {
  if (needsApproval(caller)) {
    throw new Problem('FORBIDDEN', {
      message: 'Posts are approved or rejected by a BUSINESS_MANAGER or above; you are LOCATION_MANAGER.',
    });
  }
  if (post.status !== 'APPROVAL_NEEDED') {
    throw new Problem('CONFLICT', {
      message: `Social post ${post.id} is ${post.status}: only one that is APPROVAL_NEEDED can be approved or rejected.`,
    });
  }
  const decided = decision.approved
    ? await setPostStatus(transaction, post.id, 'SCHEDULED')
    : await setPostStatus(transaction, post.id, 'REJECTED', decision.reason);
  await enqueueWork(transaction, decided);
  await audit(transaction, caller, decision.approved ? 'APPROVED' : 'REJECTED', post);
  return decided;
}

export async function deletePost(transaction: Transaction, caller: Caller, post: SocialPost): Promise<void> {
  if (post.status === 'DELETED') throw isOver(post);
  await withdrawPublications(transaction, post.id);
  await enqueueWork(transaction, await setPostStatus(transaction, post.id, 'DELETED'));
  await audit(transaction, caller, 'DELETED', post);
}

async function enqueueWork(transaction: Transaction, { id, status, publicationDate }: SocialPost): Promise<void> {
  if (status === 'APPROVAL_NEEDED' || status === 'REJECTED') return;
  await postJob.enqueue(transaction, { postId: id }, status === 'SCHEDULED' ? { runAt: publicationDate } : {});
}

function checkEnd({ dateEnd }: PostContent, now: Date): void {
  if (!dateEnd || dateEnd > now) return;
  throw new Problem('INVALID_PARAMETER', {
    errors: [{ field: 'dateEnd', rule: 'future', message: `dateEnd (${dateEnd.toISOString()}) is in the past.` }],
  });
}

/** Labels that are meant by their names, by their ids. */
async function withLabelIds<T extends PostPatch>(transaction: Transaction, partnerId: number, given: T): Promise<T> {
  const names = (given.labels ?? []).flatMap((one) => nameOnly(one) ?? []);
  if (names.length === 0) return given;
  const found = await findLabelsByName(transaction, partnerId, names);
  const labels = (given.labels ?? []).map((one) => {
    const name = nameOnly(one);
    if (name === undefined) return one;
    const label = found.find((other) => other.name.toLowerCase() === name.toLowerCase());
    if (!label) throw unknownReference('labels', `label ${name}`);
    return label.id;
  });
  return { ...given, labels };
}

const nameOnly = (label: number | { id?: number; name?: string }): string | undefined =>
  typeof label === 'number' || label.id !== undefined ? undefined : (label.name ?? '').trim();

/** The businesses of everything that is meant. What the caller does not see does not exist. */
async function businessesOf(transaction: Transaction, caller: Caller, targets: PostTargets): Promise<number[]> {
  const reach = reachOf(caller);
  const locations = await findLocations(transaction, caller.partnerId, targets.locationIds);
  const visible = locations.filter(({ id, businessId }) => reaches(reach, { locationId: id, businessId }));
  const missing = targets.locationIds.find((id) => !visible.some((location) => location.id === id));
  if (missing !== undefined) throw unknownReference('locationIds', `location ${missing}`);
  for (const id of targets.businessIds) {
    const isVisible = reaches(reach, { businessId: id }) && (await findBusiness(transaction, caller.partnerId, id));
    if (!isVisible) throw unknownReference('businessIds', `business ${id}`);
  }
  const labels = await findLabels(transaction, caller.partnerId, targets.labelIds);
  const usable = labels.filter(({ adminOnly }) => !adminOnly || managesAccount(caller));
  const unknown = targets.labelIds.find((id) => !usable.some((label) => label.id === id));
  if (unknown !== undefined) throw unknownReference('labels', `label ${unknown}`);
  return [...new Set([...targets.businessIds, ...visible.map(({ businessId }) => businessId)])];
}

/**
 * A post that could be published nowhere is refused if it is due now; for later, a warning says what is missing until
 * then. The same words at the same time and place are refused.
 */
async function checkPlaces(
  transaction: Transaction,
  partnerId: number,
  content: PostContent,
  { reach }: { reach: Reach },
  now: Date,
  post?: SocialPost,
): Promise<string[]> {
  await takeTurnsWriting(transaction, partnerId);
  for (const same of await findSameWords(transaction, partnerId, content, post?.id ?? 0)) {
    const other = { targets: same, reach: same.reach };
    if (await haveLocationInCommon(transaction, partnerId, { targets: content, reach }, other)) throw overlaps(same);
  }
  const places = await findPostPlaces(transaction, partnerId, content, reach);
  const obstacles = new Map(content.directories.map((type) => [type, obstacleEverywhere(type, places)]));
  const known = [...obstacles.values()].filter((obstacle) => obstacle !== undefined);
  if (content.publicationDate <= now && known.length === content.directories.length && !post) {
    const isPageMissing = known.every(({ errorCode }) => errorCode === 'NO_PAGE_SELECTED');
    throw new Problem(isPageMissing ? 'NO_PAGE_SELECTED' : 'NO_ACCOUNT_CONNECTED', {
      message: `It can be published nowhere. ${known.map(({ message }) => message).join(' ')}`,
    });
  }
  return known.map(({ message }) => message);
}

/** What keeps a post from all of its locations on a directory. */
function obstacleEverywhere(directoryType: string, places: readonly PostPlace[]) {
  const there = places.filter((place) => place.directoryType === directoryType);
  const obstacles = there.map(obstacleOf).filter((obstacle) => obstacle !== undefined);
  if (obstacles.length < there.length) return undefined;
  const isPageMissing = obstacles.every(({ errorCode }) => errorCode === 'NO_PAGE_SELECTED');
  return isPageMissing
    ? { errorCode: 'NO_PAGE_SELECTED', message: `None of the locations has a page on ${directoryType} yet.` }
    : { errorCode: 'NO_ACCOUNT_CONNECTED', message: `No account is connected on ${directoryType}.` };
}

const overlaps = ({ id, status }: { id: number; status: string }) =>
  new Problem('OVERLAPPING_SOCIALPOST', {
    message: `Social post ${id} (${status}) says the same at the same time for one of these locations. Change that one, or end it first.`,
  });

const isOver = ({ id, status }: SocialPost) =>
  new Problem('CONFLICT', { message: `Social post ${id} is ${status} and stays as it is. Create a new one.` });

async function audit(
  transaction: Transaction,
  caller: Caller,
  action: string,
  { id }: SocialPost,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(transaction, actorOf(caller), { action, subject: 'SOCIAL_POST', subjectId: id, details });
}
