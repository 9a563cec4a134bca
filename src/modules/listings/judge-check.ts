import { dayOf } from '../../values/days.ts';
import type {
  Directory,
  DirectoryFault,
  DirectoryListing,
  ListingProfile,
  SubmissionReview,
} from '../directories/index.ts';
import { type ComparedFields, compareProfiles, countFields, sameValue } from './field-comparison.ts';
import type { Listing, ListingStatuses } from './listing.ts';
import { choosePage } from './page-match.ts';
import { endingOf, nextStatuses, type Sight, wasSeen } from './status-moves.ts';
import { type FieldSuggestion, suggestionsFrom } from './suggestions/suggestion-rules.ts';

/** What a visit to a directory brought. */
export type Visit =
  | { kind: 'not-looked'; review?: SubmissionReview }
  | { kind: 'fault'; fault: DirectoryFault }
  | {
      kind: 'looked';
      /** The page that the listing points to, if it is still there. */
      linked: DirectoryListing | undefined;
      /** Pages that may be about the location; absent when nobody searched. */
      candidates?: readonly DirectoryListing[];
      /** Of what was submitted, when that is awaited. */
      review?: SubmissionReview;
    };

export interface CheckState {
  listing: Listing;
  location: { status: string; revision: number };
  profile: ListingProfile;
  directory: Directory;
  covered: boolean;
  /** Pages that belong to a listing of another location. */
  heldElsewhere: ReadonlySet<string>;
  now: Date;
}

export interface Verdict extends ListingStatuses {
  fields: ComparedFields;
  matchingFields: number;
  comparableFields: number;
  /** The page that it points to from now on, and why; absent when it stays. */
  link?: { externalId: string | null; url: string | null; comment: string } | undefined;
  suggestions: FieldSuggestion[];
  duplicates: { page: DirectoryListing; fields: ComparedFields }[];
  found: boolean;
}

/** What a visit means for a listing. The listing and the location are those of now, not those of before the visit. */
export function judgeCheck(visit: Visit, state: CheckState): Verdict {
  const { listing } = state;
  if (visit.kind !== 'looked') {
    const sight: Sight = { kind: visit.kind === 'fault' ? 'unreachable' : 'not-looked' };
    const { fields, matchingFields, comparableFields } = listing;
    const review = visit.kind === 'not-looked' ? visit.review : undefined;
    const isDropped = review?.state === 'REJECTED' && !review.pageExists;
    return {
      ...nextStatuses(listing, sight, { ...state, ...(review && { review: review.state }) }),
      ...(isDropped && { link: linkOf(listing, undefined) }),
      fields,
      matchingFields,
      comparableFields,
      suggestions: [],
      duplicates: [],
      found: false,
    };
  }
  return judgePages(visit, state);
}

function judgePages({ linked, candidates = [], review }: Visit & { kind: 'looked' }, state: CheckState): Verdict {
  const { listing, profile, directory, heldElsewhere, now } = state;
  const isTaken = ({ externalId }: DirectoryListing) => heldElsewhere.has(externalId);
  const free = candidates.filter((candidate) => !isTaken(candidate));
  const choice = choosePage(profile, linked, free, { held: listing.linkHeld });
  // A page that was submitted and has not been seen yet is still the page.
  const isAwaited = !wasSeen(listing) && listing.flowStatus === 'WAITING_DIRECTORY_ACTION';
  const awaited = !choice.page && isAwaited && review?.state !== 'REJECTED';
  const { page } = choice;
  const day = { today: dayOf(now) };
  const compare = (shown: ListingProfile | undefined) =>
    directory.supports.linkOnly ? {} : compareProfiles(directory.fields, profile, shown, day);
  const fields = compare(page?.profile);
  const counted = countFields(fields);
  const samePage = page !== undefined && page.externalId === listing.externalId;
  const before = samePage ? listing.fields : {};
  const byDirectory = changedByDirectory(fields, before, listing.submitted, profile.country, day.today);
  const drifted = samePage && listing.submitted !== null && byDirectory.length > 0;
  const sight: Sight = page
    ? { kind: 'found', claim: page.claim, pending: page.pending ?? false, fields, drifted }
    : { kind: awaited || !choosePage(profile, undefined, candidates.filter(isTaken)).page ? 'not-found' : 'taken' };
  const statuses = nextStatuses(listing, sight, { ...state, ...(review && { review: review.state }) });
  // A page that is not ours is free for others once the location is no longer served.
  const isReleased = endingOf(state.location.status) !== undefined && statuses.flowStatus === 'INACTIVE';
  const link = awaited ? undefined : isReleased ? linkOf(listing, undefined, released) : linkOf(listing, page);
  return {
    ...statuses,
    fields,
    matchingFields: counted.matching,
    comparableFields: counted.comparable,
    ...(link && { link }),
    suggestions: page ? suggestionsFrom(fields, byDirectory, profile) : [],
    duplicates: choice.duplicates.map((duplicate) => ({ page: duplicate, fields: compare(duplicate.profile) })),
    found: page !== undefined,
  };
}

const released = 'The location is no longer served';

/** Fields whose value there is neither what it was when we last looked nor what we submitted. */
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
  page: DirectoryListing | undefined,
  unlinked = 'The page is no longer on the directory',
): Verdict['link'] {
  if (!page) {
    if (listing.externalId === null) return undefined;
    return { externalId: null, url: null, comment: unlinked };
  }
  const url = page.url ?? null;
  if (page.externalId === listing.externalId) {
    return url === listing.url ? undefined : { externalId: page.externalId, url, comment: 'The page has moved' };
  }
  const comment = listing.externalId === null ? 'A page of this location was found' : 'A better match was found';
  return { externalId: page.externalId, url, comment };
}
