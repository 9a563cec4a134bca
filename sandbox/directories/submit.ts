import { RequestError } from '../http/request-error.ts';
import type { Profile } from '../profile.ts';
import { directorySetting } from '../state/directory-settings.ts';
import type { Network } from '../state/network.ts';
import { candidatePages, decidedPages, deletePage, insertPage, type Page, updatePage } from '../state/page-store.ts';
import { saveReview } from '../state/review-store.ts';
import { type DirectoryCall, requireAbility } from './directory-call.ts';
import { matchScore } from './match.ts';
import { submissionErrors } from './submission-errors.ts';

const sameScore = 0.97;

/** Creates or changes a page: immediately or after a review. Throws if the submission is rejected. */
export function submit(call: DirectoryCall, profile: Profile, page: Page | undefined) {
  requireAbility(call, 'submit');
  const { network, rules, installation } = call;
  if (page && page.owner !== String(installation))
    throw new RequestError(403, `Only the owner of the page may change it on ${rules.name}.`);
  const wait = decide(call, profile, page);
  const pending = wait > 0 ? { pending: profile, decideAt: network.now() + wait } : { pending: null, decideAt: null };
  const messages = wait > 0 ? [`${rules.name} reviews the submission before it is visible.`] : [];
  const state = wait > 0 ? 'PENDING' : 'ACCEPTED';
  if (page) {
    const changed = { ...page, ...pending, profile: wait > 0 ? page.profile : profile };
    updatePage(network, changed);
    return { id: page.id, url: network.urlOf(page.directory, page.id), state, messages };
  }
  const original = candidatePages(network, rules.type, profile).find(
    (other) => other.duplicateOf === null && matchScore(profile, other.profile) >= sameScore,
  );
  const created = insertPage(network, {
    directory: rules.type,
    kind: 'listing',
    profile,
    owner: String(installation),
    claimedAt: network.now(),
    ...(original && { duplicateOf: original.id }),
    ...pending,
    visible: wait === 0,
  });
  if (original) messages.push(`It looks like a duplicate of ${original.id}.`);
  return { id: created.id, url: network.urlOf(rules.type, created.id), state, messages };
}

/** Milliseconds until the submission is visible. */
function decide({ network, rules }: DirectoryCall, profile: Profile, page: Page | undefined): number {
  const set = directorySetting(network, rules.type, 'decisions');
  const seconds = page ? rules.review.change : rules.review.create;
  if (set?.decision === 'REFUSED') throw new RequestError(422, ...(set.messages ?? ['The submission was rejected.']));
  if (set?.decision === 'ACCEPTED') return 0;
  const messages = submissionErrors(rules, profile);
  if (messages.length > 0) throw new RequestError(422, ...messages);
  return (set?.decision === 'PENDING' ? seconds || 60 : seconds) * 1000;
}

/** Due reviews end with ACCEPTED. */
export function endDueReviews(network: Network): void {
  for (const page of decidedPages(network, network.now())) endReview(network, page, 'ACCEPTED');
}

/** A rejected change keeps the page. A rejected new page is deleted. */
export function endReview(
  network: Network,
  page: Page,
  decision: 'ACCEPTED' | 'REFUSED',
  messages: readonly string[] = ['The submission was rejected after a review.'],
): Page | undefined {
  const done = { ...page, pending: null, decideAt: null };
  const isAccepted = decision === 'ACCEPTED';
  saveReview(network, page, { state: isAccepted ? 'ACCEPTED' : 'REJECTED', messages: isAccepted ? [] : [...messages] });
  if (isAccepted) {
    const accepted = { ...done, profile: page.pending ?? page.profile, visible: true };
    updatePage(network, accepted);
    return accepted;
  }
  if (page.visible) {
    updatePage(network, done);
    return done;
  }
  deletePage(network, page);
  return undefined;
}
