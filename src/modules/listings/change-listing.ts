import Type, { type Static } from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { flowStatus, listingClaimStatus, syncStatus } from '../../events/catalogue/status-values.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import { deletable } from '../../http/validation.ts';
import { invalidField, Problem } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { findDirectory } from '../directories/index.ts';
import { type FlowStatus, type Listing, type ListingStatuses, listingStatusOf } from './listing.ts';
import { type PageLink, recordLinkChange, recordStatusChange } from './listing-events.ts';
import { changeListing, lockPages, pagesHeldElsewhere } from './listing-store.ts';
import { enqueueCheck } from './listing-work.ts';
import { freePage } from './record-duplicates.ts';

/** Flow statuses that a person may set. The others say what a directory answered. */
const personFlows: readonly FlowStatus[] = [
  'SUBMISSION_NEEDED',
  'WAITING_USER_ACTION',
  'WAITING_DIRECTORY_ACTION',
  'ALL_INFORMATION_SUBMITTED',
  'NO_ACTION_NEEDED',
  'NEEDS_REVIEW',
  'INACTIVE',
  'MANUALLY_DEACTIVATED',
  'MANUALLY_CREATED',
  'REMOVAL_NEEDED',
  'CANCELLATION_NEEDED',
];

/** Those that stay until a person sets another one. */
const heldFlows: readonly FlowStatus[] = [
  'NEEDS_REVIEW',
  'INACTIVE',
  'MANUALLY_DEACTIVATED',
  'MANUALLY_CREATED',
  'REMOVAL_NEEDED',
  'CANCELLATION_NEEDED',
];

/** Those that ask for something to be sent to the directory. */
const orders: readonly FlowStatus[] = ['SUBMISSION_NEEDED', 'REMOVAL_NEEDED', 'CANCELLATION_NEEDED'];

export const ManualChange = Type.Object({
  claimStatus: Type.Optional(listingClaimStatus('Whom the page belongs to, until the next check.')),
  flowStatus: Type.Optional(
    flowStatus(
      `What is to be done: ${personFlows.join(', ')}. ${heldFlows.join(', ')} stay until somebody changes them.`,
    ),
  ),
  syncStatus: Type.Optional(syncStatus('Whether it shows what the location has, until the next check.')),
  listingId: Type.Optional(
    deletable(Type.String({ maxLength: 500, description: "The page's id at the directory; null removes the link" })),
  ),
  listingUrl: Type.Optional(
    deletable(
      Type.String({
        maxLength: 2000,
        pattern: '^https?://',
        description: 'Its URL at the directory; the id or the URL is enough, the directory tells the other',
      }),
    ),
  ),
  comment: Type.Optional(Type.String({ maxLength: 1000, description: 'Why, in words for people' })),
});
export type ManualChange = Static<typeof ManualChange>;

/** What a person changes about a listing: its statuses, and the page that it points to, as its directory has it. */
export async function changeByHand(
  transaction: Transaction,
  actor: Actor,
  { listing, businessId }: { listing: Listing; businessId: number },
  change: ManualChange,
  link?: PageLink,
): Promise<void> {
  await lockPages(transaction, listing.directoryType, [listing.externalId, link?.externalId]);
  const statuses = await setStatuses(transaction, actor, listing, businessId, change);
  const linked = link ? await setLink(transaction, actor, { listing, businessId }, link, change.comment) : {};
  const details = { ...statuses, ...linked };
  if (Object.keys(details).length === 0) return;
  await recordAudit(transaction, actor, { action: 'CHANGED', subject: 'LISTING', subjectId: listing.id, details });
  const isOrder = change.flowStatus !== undefined && orders.includes(change.flowStatus);
  await enqueueCheck(transaction, listing.id, { requested: true, ...(isOrder && { submit: true }) });
}

async function setStatuses(
  transaction: Transaction,
  actor: Actor,
  listing: Listing,
  businessId: number,
  { claimStatus, flowStatus: flow, syncStatus: sync }: ManualChange,
): Promise<object> {
  if (flow !== undefined && !personFlows.includes(flow)) {
    const message = `flowStatus ${flow} says what a directory answered and is not set by hand. Use one of ${personFlows.join(', ')}.`;
    throw invalidField('flowStatus', 'enum', message);
  }
  const to: ListingStatuses = {
    claimStatus: claimStatus ?? listing.claimStatus,
    flowStatus: flow ?? listing.flowStatus,
    syncStatus: sync ?? listing.syncStatus,
  };
  const flowHeld = flow === undefined ? listing.flowHeld : heldFlows.includes(flow);
  const changed = Object.entries(to).filter(([name, status]) => listing[name as keyof ListingStatuses] !== status);
  if (changed.length === 0 && flowHeld === listing.flowHeld) return {};
  await changeListing(transaction, listing.id, {
    ...to,
    flowHeld,
    status: listingStatusOf(to.flowStatus),
    ...(flow === 'SUBMISSION_NEEDED' && { triedRevision: null, submissionRound: listing.submissionRound + 1 }),
  });
  if (changed.length > 0) await recordStatusChange(transaction, actor, businessId, listing, to);
  return Object.fromEntries(changed);
}

async function setLink(
  transaction: Transaction,
  actor: Actor,
  { listing, businessId }: { listing: Listing; businessId: number },
  to: PageLink,
  comment = `Changed by ${actor.by}`,
): Promise<object> {
  if (to.externalId === listing.externalId && to.url === listing.url) return {};
  if (listing.duplicateOf !== null) {
    const message = `Listing ${listing.id} is a duplicate of listing ${listing.duplicateOf}. Change the link of that one.`;
    throw new Problem('CONFLICT', { message });
  }
  if (to.externalId !== null) {
    await refuseHeldPage(transaction, listing, to.externalId);
    await freePage(transaction, actor, businessId, listing, to.externalId);
  }
  const isOther = to.externalId !== listing.externalId;
  await changeListing(transaction, listing.id, {
    ...to,
    linkHeld: to.externalId !== null,
    ...(isOther && unknownPage),
  });
  await recordLinkChange(transaction, actor, businessId, listing, to, comment);
  return { listingId: to.externalId, listingUrl: to.url };
}

/** Nothing is known of a page before it is checked, nor whose it is; and nothing is submitted to it. */
const unknownPage = {
  fields: {},
  matchingFields: 0,
  comparableFields: 0,
  submitted: null,
  submittedRevision: null,
  checkedRevision: null,
  underReview: false,
};

async function refuseHeldPage(transaction: Transaction, listing: Listing, externalId: string): Promise<void> {
  const held = await pagesHeldElsewhere(transaction, listing, [externalId]);
  if (!held.has(externalId)) return;
  throw new Problem('CONFLICT', {
    message: `Page ${externalId} is linked to another listing, and a page belongs to one listing only. Choose another page.`,
  });
}

/** Notes that an account of the directory is connected, or no longer; what can be seen with it is looked at next. */
export async function setConnection(
  transaction: Transaction,
  actor: Actor,
  listing: Listing,
  connectStatus: 'CONNECTED' | 'NOT_CONNECTED',
): Promise<void> {
  const directory = findDirectory(listing.directoryType);
  if (!directory?.needsConnection) {
    const message = `${directory?.name ?? listing.directoryType} needs no account to be connected.`;
    throw new Problem('CONFLICT', { message });
  }
  if (listing.connectStatus === connectStatus) return;
  // What stood in the way may be gone: it is tried once more, and told what stands in the way now.
  await changeListing(transaction, listing.id, { connectStatus, triedRevision: null });
  const action = connectStatus === 'CONNECTED' ? 'CONNECTED' : 'DISCONNECTED';
  await recordAudit(transaction, actor, { action, subject: 'LISTING', subjectId: listing.id });
  await enqueueCheck(transaction, listing.id, { requested: true });
}
