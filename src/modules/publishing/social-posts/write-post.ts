import { isDeepStrictEqual } from 'node:util';
import { databaseNow } from '../../../database/database-clock.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { type Reach, reaches, reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { defineJob, type JobOptions, type JobOrigin } from '../../../jobs/job.ts';
import { invalidField, Problem, unknownReference } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { visibleBusinessIds } from '../../catalog/index.ts';
import { directoryName } from '../../directories/index.ts';
import { findLocations, requireAll, servedStatuses } from '../../locations/index.ts';
import { labelIdsOf } from '../assets/asset-targets.ts';
import {
  changedContent,
  checkContent,
  checkTransition,
  isSettable,
  newContent,
  settableStatuses,
} from './post-rules.ts';
import { findPublicationTargets, type PublicationTarget, withdrawPublications } from './publication-store.ts';
import {
  obstacleOf,
  type PostContent,
  type PostInput,
  type PostPatch,
  type PostStatus,
  type PostTargets,
  type SocialPost,
} from './social-post.ts';
import {
  findDuplicatePost,
  insertPost,
  lockPostsOfPartner,
  type PostState,
  type PublishablePost,
  setPostStatus,
  updatePost,
} from './social-post-store.ts';

export const postJob = defineJob<{ postId: number } & JobOrigin>('social-posts.work', {
  key: ({ postId }) => `social-post-${postId}`,
  requested: true,
});

const subject = 'SOCIAL_POST';

interface PostResult {
  post: SocialPost;
  warnings: string[];
}

const isLocationManager = ({ user }: Caller) => user?.role === 'LOCATION_MANAGER';

export async function createPost(transaction: Transaction, caller: Caller, input: PostInput): Promise<PostResult> {
  const now = await databaseNow(transaction);
  const content = newContent(await resolveLabels(transaction, caller, input), now);
  checkContent(content);
  checkEnd(content, now);
  const targetBusinessIds = await requireTargets(transaction, caller, content);
  const state: PostState = {
    status: isLocationManager(caller) ? 'APPROVAL_NEEDED' : 'SCHEDULED',
    targetBusinessIds,
    reach: reachOf(caller),
  };
  const warnings = await checkTargets(transaction, caller.partnerId, content, state, now);
  const post = await insertPost(transaction, { partnerId: caller.partnerId, createdBy: caller.by }, content, state);
  await enqueuePostJob(transaction, post, { runAt: post.publicationDate });
  await recordAudit(transaction, actorOf(caller), 'CREATED', subject, post.id, { status: post.status });
  return { post, warnings };
}

/** The post must be locked and editable by the caller. */
export async function changePost(
  transaction: Transaction,
  caller: Caller,
  post: PublishablePost,
  given: PostPatch,
): Promise<PostResult> {
  const now = await databaseNow(transaction);
  if (post.status === 'DELETED' || post.status === 'ENDED') throw notEditable(post);
  const patch = withoutCurrentStatus(post, given);
  const content = changedContent(post, await resolveLabels(transaction, caller, patch), now);
  checkContent(content, post);
  const status = nextStatus(caller, post, given.status, content, now);
  if (status !== 'INACTIVE') checkEnd(content, now);
  const isRetargeted = !isDeepStrictEqual(targetsOf(content), targetsOf(post));
  const state: PostState = {
    status,
    targetBusinessIds: isRetargeted ? await requireTargets(transaction, caller, content) : post.targetBusinessIds,
    reach: isRetargeted ? reachOf(caller) : post.reach,
  };
  const warnings =
    status === 'INACTIVE' ? [] : await checkTargets(transaction, caller.partnerId, content, state, now, post);
  const changed = await updatePost(transaction, post, content, state);
  if (status !== 'ACTIVE') await withdrawPublications(transaction, post.id);
  await enqueuePostJob(transaction, changed);
  await recordAudit(transaction, actorOf(caller), 'UPDATED', subject, changed.id, { fields: Object.keys(patch) });
  return { post: changed, warnings };
}

const targetsOf = ({ locationIds, businessIds, labelIds }: PostTargets) => [locationIds, businessIds, labelIds];

/** Clients that write a post back as read send its current status, which is not a change. */
function withoutCurrentStatus(post: SocialPost, { status, ...patch }: PostPatch): PostPatch {
  if (status === undefined || status === post.status) return patch;
  if (!isSettable(status)) {
    const message = `status must be ${settableStatuses.join(' or ')}, or the current status ${post.status}.`;
    throw invalidField('status', 'enum', message);
  }
  checkTransition(post.id, post.status, status);
  return { ...patch, status };
}

function nextStatus(
  caller: Caller,
  { id, status }: SocialPost,
  requested: PostStatus | undefined,
  content: PostContent,
  now: Date,
): PostStatus {
  if (requested === 'INACTIVE') return 'INACTIVE';
  if (isLocationManager(caller)) {
    if (status !== 'ACTIVE') return 'APPROVAL_NEEDED';
    throw new Problem('FORBIDDEN', {
      message: `Social post ${id} is published. Changes require the role BUSINESS_MANAGER or higher. Your role is LOCATION_MANAGER.`,
    });
  }
  if (requested === 'SCHEDULED' || status === 'IMPOSSIBLE') return 'SCHEDULED';
  // Rescheduled to a later date: withdrawn until then.
  return status === 'ACTIVE' && content.publicationDate > now ? 'SCHEDULED' : status;
}

/** Rejects the post if there is a reason, otherwise approves it. */
export async function decidePost(
  transaction: Transaction,
  caller: Caller,
  post: SocialPost,
  rejectionReason?: string,
): Promise<SocialPost> {
  if (isLocationManager(caller)) {
    throw new Problem('FORBIDDEN', {
      message:
        'Approving and rejecting posts requires the role BUSINESS_MANAGER or higher. Your role is LOCATION_MANAGER.',
    });
  }
  if (post.status !== 'APPROVAL_NEEDED') {
    throw new Problem('CONFLICT', {
      message: `Social post ${post.id} is ${post.status}. Only posts with status APPROVAL_NEEDED can be approved or rejected.`,
    });
  }
  const isApproved = rejectionReason === undefined;
  const decided = await setPostStatus(transaction, post.id, isApproved ? 'SCHEDULED' : 'REJECTED', rejectionReason);
  await enqueuePostJob(transaction, decided);
  await recordAudit(transaction, actorOf(caller), isApproved ? 'APPROVED' : 'REJECTED', subject, post.id);
  return decided;
}

export async function deletePost(transaction: Transaction, caller: Caller, post: SocialPost): Promise<void> {
  if (post.status === 'DELETED') throw notEditable(post);
  await withdrawPublications(transaction, post.id);
  await enqueuePostJob(transaction, await setPostStatus(transaction, post.id, 'DELETED'));
  await recordAudit(transaction, actorOf(caller), 'DELETED', subject, post.id);
}

/** Replaces the waiting job, which may be a withdrawal: the new one runs at once and waits for the date afterwards. */
async function enqueuePostJob(transaction: Transaction, post: SocialPost, options?: JobOptions): Promise<void> {
  const { id: postId, partnerId, status } = post;
  if (status === 'APPROVAL_NEEDED' || status === 'REJECTED') return;
  await postJob.enqueue(transaction, { postId, partnerId }, options);
}

function checkEnd({ dateEnd }: PostContent, now: Date): void {
  if (!dateEnd || dateEnd > now) return;
  throw invalidField('dateEnd', 'future', `dateEnd must be in the future, not ${dateEnd.toISOString()}.`);
}

/** Resolves label names to ids. */
async function resolveLabels<T extends PostPatch>(transaction: Transaction, caller: Caller, given: T): Promise<T> {
  return given.labels ? { ...given, labels: await labelIdsOf(transaction, caller, given.labels) } : given;
}

/** Rejects unknown and inaccessible targets. Returns the businesses of the locations and businesses, not of labels. */
async function requireTargets(transaction: Transaction, caller: Caller, targets: PostTargets): Promise<number[]> {
  const reach = reachOf(caller);
  const locations = await findLocations(transaction, caller.partnerId, targets.locationIds);
  const visible = locations.filter(({ id, businessId }) => reaches(reach, { locationId: id, businessId }));
  const visibleIds = visible.map(({ id }) => id);
  requireAll('locationIds', 'location', targets.locationIds, visibleIds, unknownReference);
  const businessIds = await visibleBusinessIds(transaction, caller.partnerId, reach, targets.businessIds);
  requireAll('businessIds', 'business', targets.businessIds, businessIds, unknownReference);
  await labelIdsOf(transaction, caller, targets.labelIds);
  return [...new Set([...businessIds, ...visible.map(({ businessId }) => businessId)])];
}

/** Rejects duplicates, and new posts that are due now if no directory can publish them. Other obstacles are warnings. */
async function checkTargets(
  transaction: Transaction,
  partnerId: number,
  content: PostContent,
  { reach }: { reach: Reach },
  now: Date,
  post?: SocialPost,
): Promise<string[]> {
  await lockPostsOfPartner(transaction, partnerId);
  const duplicate = await findDuplicatePost(transaction, partnerId, content, reach, post?.id ?? 0);
  if (duplicate) throw overlappingPost(duplicate);
  const targets = await findPublicationTargets(transaction, partnerId, content, reach);
  const obstacles = new Map(content.directories.map((type) => [type, commonObstacle(type, targets)]));
  const found =
    targets.length === 0 ? [noLocation] : [...obstacles.values()].filter((obstacle) => obstacle !== undefined);
  const isPublishable = targets.length > 0 && found.length < content.directories.length;
  if (content.publicationDate <= now && !isPublishable && !post) {
    throw new Problem(commonCodeOf(found), {
      message: `The post cannot be published. ${found.map(({ message }) => message).join(' ')}`,
    });
  }
  return found.map(({ message }) => message);
}

const noLocation = {
  errorCode: 'NO_PAGE_SELECTED',
  message: `The targets have no location with the status ${servedStatuses.join(', ')}. Add a location to them first.`,
};

/** The obstacle if no location can be published to on this directory. */
function commonObstacle(directoryType: string, targets: readonly PublicationTarget[]) {
  const candidates = targets.filter((target) => target.directoryType === directoryType);
  const obstacles = candidates.map(obstacleOf).filter((obstacle) => obstacle !== undefined);
  if (obstacles.length < candidates.length) return undefined;
  const errorCode = commonCodeOf(obstacles);
  const name = directoryName(directoryType);
  const message =
    errorCode === 'NO_PAGE_SELECTED'
      ? `None of the locations has a listing on ${name} yet. Sync the locations first.`
      : `No ${name} account is connected. Connect one to the listings.`;
  return { errorCode, message };
}

/** NO_PAGE_SELECTED only if nothing else is missing. */
const commonCodeOf = (obstacles: readonly { errorCode: string }[]) =>
  obstacles.every(({ errorCode }) => errorCode === 'NO_PAGE_SELECTED') ? 'NO_PAGE_SELECTED' : 'NO_ACCOUNT_CONNECTED';

const overlappingPost = ({ id, status }: { id: number; status: string }) =>
  new Problem('OVERLAPPING_SOCIALPOST', {
    message: `Social post ${id} (${status}) has the same type and text for the same location and directory at an overlapping time. Change or delete it first, or change this post.`,
  });

const notEditable = ({ id, status }: SocialPost) =>
  new Problem('CONFLICT', { message: `Social post ${id} is ${status} and cannot be changed. Create a new post.` });
