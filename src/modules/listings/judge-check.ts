import { dayIn } from '../../values/calendar.ts';
import type { DirectoryFault, DirectoryListing, ListingProfile, SubmissionReview } from '../directories/index.ts';
import { type ComparedFields, compareProfiles, countFields, sameValue } from './field-comparison.ts';
import { isFoundLink, isLossDoubted, type Listing, type ListingStatuses, unsubmitted } from './listing.ts';
import { chooseListing, type Duplicate, type OtherLocation } from './listing-match.ts';
import {
  isInRemoval,
  nextStatuses,
  type Observation,
  removalSteps,
  type TransitionContext,
  wasFound,
} from './status-transitions.ts';
import { type FieldSuggestion, suggestionsFrom } from './suggestions/suggestion.ts';

/** Result of reading a directory for a listing. */
export type DirectoryReading =
  | { kind: 'skipped'; review?: SubmissionReview }
  | { kind: 'fault'; fault: DirectoryFault }
  | {
      kind: 'read';
      /** The linked directory listing, if it still exists. */
      linked: DirectoryListing | undefined;
      /** Directory listings that may belong to the location; absent without a search. */
      candidates?: readonly DirectoryListing[];
      /** State of a pending review. */
      review?: SubmissionReview;
    };

interface CheckState extends Omit<TransitionContext, 'review'> {
  listing: Listing;
  location: TransitionContext['location'] & { timeZone: string | null };
  profile: ListingProfile;
  /** External ids that are linked to another location. */
  linkedElsewhere: ReadonlySet<string>;
  /** Other locations that may match the directory listings better. */
  otherLocations: readonly OtherLocation[];
}

export interface Verdict extends ListingStatuses {
  fields: ComparedFields;
  matchingFields: number;
  comparableFields: number;
  /** The new link and the reason; absent when unchanged. */
  link?: { externalId: string | null; url: string | null; comment: string } | undefined;
  suggestions: FieldSuggestion[];
  duplicates: { directoryListing: Duplicate; fields: ComparedFields }[];
  /** External ids that belong to another location. */
  elsewhere: ReadonlySet<string>;
  found: boolean;
}

/** `state` is the current one, not the one before the directory was read. */
export function judgeCheck(reading: DirectoryReading, state: CheckState): Verdict {
  const { listing } = state;
  if (reading.kind !== 'read') {
    const observation: Observation = { kind: reading.kind === 'fault' ? 'unreachable' : 'skipped' };
    const { fields, matchingFields, comparableFields } = listing;
    const review = reading.kind === 'skipped' ? reading.review : undefined;
    const isDropped = review?.state === 'REJECTED' && !review.pageExists;
    const statuses = nextStatuses(listing, observation, { ...state, ...(review && { review: review.state }) });
    const isEnded = reading.kind === 'skipped' && isReleased(statuses, state);
    // A removal that cannot be verified counts as done.
    const isGone = isDropped || (reading.kind === 'skipped' && statuses.flowStatus === 'REMOVED');
    const unlinked = isEnded ? linkOf(listing, undefined, released) : isGone && linkOf(listing, undefined);
    return {
      ...statuses,
      ...(unlinked && { link: unlinked }),
      fields,
      matchingFields,
      comparableFields,
      suggestions: [],
      duplicates: [],
      elsewhere: new Set(),
      found: false,
    };
  }
  return judgeListings(reading, state);
}

function judgeListings(
  { linked, candidates = [], review }: DirectoryReading & { kind: 'read' },
  state: CheckState,
): Verdict {
  const { listing, location, profile, directory, linkedElsewhere, otherLocations: others, now } = state;
  const isLinkedElsewhere = ({ externalId }: DirectoryListing) => linkedElsewhere.has(externalId);
  // A location that is no longer served keeps its link until the listing is removed, and gets no other one.
  const usable = removalSteps(location.status) ? [] : candidates;
  const isUnlinked = ({ externalId }: DirectoryListing) => listing.unlinkedPages.includes(externalId);
  const [unlinked, accepted] = [usable.filter(isUnlinked), usable.filter((candidate) => !isUnlinked(candidate))];
  const free = accepted.filter((candidate) => !isLinkedElsewhere(candidate));
  const isDoubted = !linked && review?.state !== 'REJECTED' && isDoubtful(state);
  const choice = chooseListing(profile, linked, isDoubted ? [] : free, { held: listing.linkHeld, others });
  // A submitted listing that was never found stays linked while its review is pending.
  const isAwaited = !wasFound(listing) && listing.flowStatus === 'WAITING_DIRECTORY_ACTION';
  const awaited = !choice.match && isAwaited && review?.state !== 'REJECTED';
  const { match } = choice;
  const day = { today: dayIn(location.timeZone, now) };
  const compare = (shown: ListingProfile | undefined) =>
    directory.supports.linkOnly ? {} : compareProfiles(directory.fields, profile, shown, day);
  const fields = compare(match?.profile);
  const counted = countFields(fields);
  const isSameListing = match !== undefined && match.externalId === listing.externalId;
  const before = isSameListing ? listing.fields : {};
  const byDirectory = changedByDirectory(fields, before, listing.submitted, profile.country, day.today);
  const drifted = isSameListing && listing.submitted !== null && byDirectory.length > 0;
  const missing = (): Observation => {
    if (chooseListing(profile, undefined, accepted.filter(isLinkedElsewhere)).match)
      return { kind: 'linked-elsewhere' };
    const freeAgain = unlinked.filter((candidate) => !isLinkedElsewhere(candidate));
    return {
      kind: 'not-found',
      isUnlinked: chooseListing(profile, undefined, freeAgain, { others }).match !== undefined,
    };
  };
  const observation: Observation = match
    ? { kind: 'found', claim: match.claim, pending: match.pending ?? false, fields, drifted }
    : awaited || isDoubted
      ? { kind: 'not-found', isDoubted }
      : missing();
  const previous = match && replacesLink(listing, match) ? { ...listing, ...unsubmitted } : listing;
  const statuses = nextStatuses(previous, observation, { ...state, ...(review && { review: review.state }) });
  const isEnded = match !== undefined && isReleased(statuses, state);
  const link =
    awaited || isDoubted ? undefined : isEnded ? linkOf(listing, undefined, released) : linkOf(listing, match);
  return {
    ...statuses,
    fields,
    matchingFields: counted.matching,
    comparableFields: counted.comparable,
    ...(link && { link }),
    suggestions: match ? suggestionsFrom(fields, byDirectory, profile) : [],
    duplicates: choice.duplicates.map((duplicate) => ({
      directoryListing: duplicate,
      fields: compare(duplicate.profile),
    })),
    elsewhere: choice.elsewhere,
    found: match !== undefined,
  };
}

/** Whether a listing that was found before and is not being removed may be missing only for a short time. */
function isDoubtful({ listing, location, now }: CheckState): boolean {
  const isExpected = removalSteps(location.status) !== undefined || isInRemoval(listing.flowStatus);
  const isConfirmed = isLossDoubted(listing) && listing.notBefore !== null && listing.notBefore <= now;
  return isFoundLink(listing) && !isExpected && !isConfirmed;
}

const released = 'The location is no longer served';

/** Whether the location is no longer served and nothing is left to remove: others can then link the directory listing. */
const isReleased = ({ flowStatus }: ListingStatuses, { location }: Pick<CheckState, 'location'>): boolean =>
  removalSteps(location.status) !== undefined && !isInRemoval(flowStatus) && flowStatus !== 'WAITING_USER_ACTION';

/** Whether a linked listing is linked to another directory listing, to which nothing was submitted yet. */
export const replacesLink = (listing: Listing, { externalId }: { externalId: string | null }): boolean =>
  listing.externalId !== null && externalId !== null && externalId !== listing.externalId;

/** Fields whose value differs from the last check and from the last submission. */
function changedByDirectory(
  fields: ComparedFields,
  before: ComparedFields,
  submitted: ListingProfile | null,
  country: string | undefined,
  today: string,
): string[] {
  const given = (submitted ?? {}) as Record<string, unknown>;
  return Object.entries(fields)
    .filter(([, { status }]) => status !== 'MATCH' && status !== 'NOT_APPLICABLE')
    .filter(([name, { shown }]) => {
      const seenBefore = before[name] && sameValue(name, before[name].shown, shown, country, today);
      return !seenBefore && !(submitted && sameValue(name, given[name], shown, country, today));
    })
    .map(([name]) => name);
}

function linkOf(
  listing: Listing,
  match: DirectoryListing | undefined,
  unlinked = 'No longer on the directory',
): Verdict['link'] {
  if (!match) {
    if (listing.externalId === null) return undefined;
    return { externalId: null, url: null, comment: unlinked };
  }
  const url = match.url ?? null;
  if (match.externalId === listing.externalId) {
    return url === listing.url ? undefined : { externalId: match.externalId, url, comment: 'The URL has changed' };
  }
  const comment = listing.externalId === null ? 'A matching listing was found' : 'A better match was found';
  return { externalId: match.externalId, url, comment };
}
