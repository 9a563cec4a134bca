import Type, { type Static } from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { flowStatus, flowStatuses, listingClaimStatus, syncStatus } from '../../events/catalogue/status-values.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { PageFinder } from '../../http/services.ts';
import { deletableField } from '../../http/validation.ts';
import { conflict, invalidField, Problem } from '../../problems.ts';
import { httpScheme } from '../../values/urls.ts';
import type { Actor } from '../accounts/index.ts';
import { directoryName, findDirectory } from '../directories/index.ts';
import {
  type FlowStatus,
  type Listing,
  ListingResponse,
  type ListingStatuses,
  listingResponse,
  listingStatusOf,
  unsubmitted,
} from './listing.ts';
import { type ListingLink, recordLinkChange, recordStatusChange, unlinked } from './listing-events.ts';
import { changeListing, externalIdsLinkedElsewhere, lockExternalIds } from './listing-store.ts';
import { checkListingDatapoints, enqueueCheck, submitListingJob } from './listing-work.ts';
import { unlinkDuplicate } from './record-duplicates.ts';

/** Flow statuses that follow from responses of the directory; users cannot set them. */
const reportedFlows: readonly FlowStatus[] = [
  'NOT_SUPPORTED',
  'REMOVAL_SUBMITTED',
  'REMOVED',
  'CANCELLATION_SUBMITTED',
];
const settableFlows: readonly FlowStatus[] = flowStatuses.filter((flow) => !reportedFlows.includes(flow));

/** Flow statuses that the next check replaces. It does not change the others after a user has set them. */
const checkedFlows: readonly FlowStatus[] = [
  'SUBMISSION_NEEDED',
  'WAITING_USER_ACTION',
  'WAITING_DIRECTORY_ACTION',
  'ALL_INFORMATION_SUBMITTED',
  'NO_ACTION_NEEDED',
];
const stickyFlows = settableFlows.filter((flow) => !checkedFlows.includes(flow));

/** Flow statuses that request a submission or removal. */
const submittingFlows: readonly FlowStatus[] = ['SUBMISSION_NEEDED', 'REMOVAL_NEEDED', 'CANCELLATION_NEEDED'];

export const ManualChange = Type.Object({
  claimStatus: Type.Optional(listingClaimStatus('Owner of the listing at the directory, until the next check.')),
  flowStatus: Type.Optional(
    flowStatus(`Next step: ${settableFlows.join(', ')}. Checks do not change ${stickyFlows.join(', ')}.`),
  ),
  syncStatus: Type.Optional(syncStatus('Whether the directory shows the data of the location, until the next check.')),
  listingId: deletableField(
    Type.String({
      maxLength: 500,
      description: 'Id at the directory; null removes the link. Checks do not restore a removed or replaced link',
    }),
  ),
  listingUrl: deletableField(
    Type.String({
      maxLength: 2000,
      pattern: `^${httpScheme}`,
      description: 'URL on the directory. Either listingId or listingUrl is enough; the directory supplies the other',
    }),
  ),
  comment: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Reason, in the audit trail and in LISTING_LINK_CHANGE' }),
  ),
});
export type ManualChange = Static<typeof ManualChange>;

/** Applies a user's change of statuses and link. `link` is the resolved directory listing. */
export async function changeListingManually(
  transaction: Transaction,
  actor: Actor,
  { listing, businessId }: { listing: Listing; businessId: number },
  change: ManualChange,
  link?: ListingLink,
): Promise<void> {
  await lockExternalIds(transaction, listing.directoryType, [listing.externalId, link?.externalId]);
  const withdrawn = link?.externalId === null ? withdrawnFlow(listing) : {};
  const statuses = await setStatuses(transaction, actor, listing, businessId, { ...withdrawn, ...change });
  const linked = link ? await setLink(transaction, actor, { listing, businessId }, link, change) : {};
  const changes = { ...statuses, ...linked };
  if (Object.keys(changes).length === 0) return;
  const { comment, flowStatus: flow } = change;
  const details = { ...changes, ...(comment !== undefined && { comment }) };
  await recordAudit(transaction, actor, 'CHANGED', 'LISTING', listing.id, details);
  const submits = flow !== undefined && submittingFlows.includes(flow);
  const { id, partnerId } = listing;
  await enqueueCheck(transaction, id, { requested: true, partnerId, ...(submits && { submit: true }) });
  // The datapoints of the previous link become INVALID.
  if (link && link.externalId !== listing.externalId)
    await checkListingDatapoints.enqueue(transaction, { listingId: id, requested: true, partnerId });
}

/** A submission that was due or refused for the removed link would create a new listing: only a user can request one. */
function withdrawnFlow(listing: Listing): Pick<ManualChange, 'flowStatus'> {
  const { externalId, flowStatus: flow, flowHeld, submissionRequested } = listing;
  const isDue =
    flow === 'SUBMISSION_NEEDED' || flow === 'NEEDS_REVIEW' || (submissionRequested && checkedFlows.includes(flow));
  return externalId !== null && isDue && !flowHeld ? { flowStatus: 'WAITING_USER_ACTION' } : {};
}

async function setStatuses(
  transaction: Transaction,
  actor: Actor,
  listing: Listing,
  businessId: number,
  { claimStatus, flowStatus: flow, syncStatus: sync }: ManualChange,
): Promise<object> {
  if (flow !== undefined && !settableFlows.includes(flow)) {
    const message = `flowStatus ${flow} cannot be set, because it follows from the directory. Accepted: ${settableFlows.join(', ')}.`;
    throw invalidField('flowStatus', 'enum', message);
  }
  const to: ListingStatuses = {
    claimStatus: claimStatus ?? listing.claimStatus,
    flowStatus: flow ?? listing.flowStatus,
    syncStatus: sync ?? listing.syncStatus,
  };
  const flowHeld = flow === undefined ? listing.flowHeld : stickyFlows.includes(flow);
  const changed = Object.entries(to).filter(([name, status]) => listing[name as keyof ListingStatuses] !== status);
  if (changed.length === 0 && flowHeld === listing.flowHeld) return {};
  await changeListing(transaction, listing.id, {
    ...to,
    flowHeld,
    status: listingStatusOf(to.flowStatus),
    ...(flow === 'SUBMISSION_NEEDED' && { attemptedRevision: null, submissionRound: listing.submissionRound + 1 }),
  });
  if (changed.length > 0) await recordStatusChange(transaction, actor, businessId, listing, to);
  return Object.fromEntries(changed);
}

async function setLink(
  transaction: Transaction,
  actor: Actor,
  { listing, businessId }: { listing: Listing; businessId: number },
  to: ListingLink,
  { listingId, comment = `Changed by ${actor.by}` }: ManualChange,
): Promise<object> {
  const field = listingId === undefined ? 'listingUrl' : 'listingId';
  if (to.externalId === listing.externalId && to.url === listing.url) return {};
  if (listing.duplicateOf !== null) {
    const message = `Listing ${listing.id} is a duplicate of listing ${listing.duplicateOf}. Change the link of listing ${listing.duplicateOf}.`;
    throw conflict(field, 'duplicate', message);
  }
  if (to.externalId !== null) {
    const linked = await externalIdsLinkedElsewhere(transaction, listing, [to.externalId]);
    if (linked.has(to.externalId)) {
      const message = `listingId ${to.externalId} is already linked to another listing. Choose another one.`;
      throw conflict(field, 'unique', message);
    }
    await unlinkDuplicate(transaction, actor, businessId, listing, to.externalId);
  }
  const isOther = to.externalId !== listing.externalId;
  const known = [...listing.unlinkedPages, listing.externalId].filter((page) => page !== null);
  const unlinkedPages = [...new Set(known)].filter((page) => page !== to.externalId).slice(-maxUnlinkedPages);
  await changeListing(transaction, listing.id, {
    ...to,
    linkHeld: to.externalId !== null,
    unlinkedPages,
    ...(isOther && uncheckedLink),
  });
  await recordLinkChange(transaction, actor, businessId, listing, to, comment);
  return { listingId: to.externalId, listingUrl: to.url };
}

const maxUnlinkedPages = 20;

/** Resets the data about the previous link, so that nothing is submitted before the next check. */
const uncheckedLink = {
  ...unsubmitted,
  fields: {},
  matchingFields: 0,
  comparableFields: 0,
  checkedRevision: null,
};

/** Records whether an account of the directory is connected, and enqueues a check. */
export async function setConnection(
  transaction: Transaction,
  actor: Actor,
  listing: Listing,
  connectStatus: 'CONNECTED' | 'NOT_CONNECTED',
): Promise<void> {
  const directory = findDirectory(listing.directoryType);
  if (!directory?.needsConnection) {
    const message = `${directory?.name ?? listing.directoryType} does not use connected accounts.`;
    throw new Problem('CONFLICT', { message });
  }
  if (listing.connectStatus === connectStatus) return;
  // The connection may have been the blocker: attempt the submission again.
  await changeListing(transaction, listing.id, { connectStatus, attemptedRevision: null });
  const action = connectStatus === 'CONNECTED' ? 'CONNECTED' : 'DISCONNECTED';
  await recordAudit(transaction, actor, action, 'LISTING', listing.id);
  await enqueueCheck(transaction, listing.id, { requested: true, partnerId: listing.partnerId });
}

/** Looks up the requested link at the directory; undefined when unchanged. Must run without an open transaction. */
export async function resolveLink(
  pages: PageFinder,
  listing: Pick<Listing, 'partnerId' | 'directoryType' | 'externalId' | 'url'>,
  { listingId, listingUrl }: Pick<ManualChange, 'listingId' | 'listingUrl'>,
): Promise<ListingLink | undefined> {
  if (listingId === undefined && listingUrl === undefined) return undefined;
  if (!listingId && !listingUrl) return unlinked;
  if (listingId === null || listingUrl === null) {
    const message = 'listingId and listingUrl must identify the same listing. Set one or both, or set both to null.';
    throw invalidField(listingId === null ? 'listingId' : 'listingUrl', 'consistent', message);
  }
  const isSame =
    (listingId ?? listing.externalId) === listing.externalId && (listingUrl ?? listing.url) === listing.url;
  if (isSame) return undefined;
  const name = directoryName(listing.directoryType);
  const find = async (field: 'listingId' | 'listingUrl', reference: { id: string } | { url: string }) => {
    const found = await pages.find(listing.partnerId, listing.directoryType, reference);
    if (found.kind === 'unavailable') throw new Problem('DIRECTORY_UNAVAILABLE', found);
    if (found.kind === 'page') return { externalId: found.id, url: found.url };
    const value = Object.values(reference)[0];
    const message =
      found.message ?? `${field} ${value} does not exist on ${name}. Set the id or URL of an existing listing.`;
    throw invalidField(field, 'exists', message);
  };
  const byUrl = listingUrl === undefined ? undefined : await find('listingUrl', { url: listingUrl });
  const byId = listingId === undefined ? undefined : await find('listingId', { id: listingId });
  if (byUrl && byId && byUrl.externalId !== byId.externalId) {
    const message = `listingUrl is listing ${byUrl.externalId} on ${name}, but listingId is ${byId.externalId}. Set the same listing.`;
    throw invalidField('listingUrl', 'consistent', message);
  }
  return byUrl ?? byId;
}

export const RequestedSubmission = Type.Object({
  ...ListingResponse.properties,
  submission: Type.Enum(['QUEUED', 'ALREADY_QUEUED'], {
    description: 'ALREADY_QUEUED: an earlier request is still queued, and one LISTING_UPDATE reports both',
  }),
});

/** Enqueues a submission even without differences. Requests are merged while one is queued. */
export async function requestSubmission(
  transaction: Transaction,
  actor: Actor,
  listing: Listing,
): Promise<Static<typeof RequestedSubmission>> {
  if (listing.submissionRequested) return { ...listingResponse(listing), submission: 'ALREADY_QUEUED' };
  const isNeeded = listing.flowStatus === 'SUBMISSION_NEEDED';
  await changeListing(transaction, listing.id, {
    submissionRequested: true,
    submissionRound: listing.submissionRound + Number(!isNeeded),
  });
  const { id: listingId, partnerId } = listing;
  await submitListingJob.enqueue(transaction, { listingId, requested: true, partnerId });
  await recordAudit(transaction, actor, 'SUBMITTED', 'LISTING', listing.id);
  return { ...listingResponse(listing), submission: 'QUEUED' };
}
