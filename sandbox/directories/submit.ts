import { Refusal } from '../http/refusal.ts';
import type { Profile } from '../profile.ts';
import { directorySetting } from '../state/directory-settings.ts';
import type { Network } from '../state/network.ts';
import { candidatePages, decidedPages, deletePage, insertPage, type Page, updatePage } from '../state/page-store.ts';
import { keepReview } from '../state/review-store.ts';
import { type DirectoryCall, demand } from './directory-call.ts';
import { refusals } from './judge-submission.ts';
import { likeness } from './match.ts';

const sameScore = 0.97;

/** A new page, or a change of the one given: shown at once, after a review, or refused with reasons. */
export function submit(call: DirectoryCall, profile: Profile, page: Page | undefined) {
  demand(call, 'submit');
  const { network, rules, installation } = call;
  if (page && page.owner !== String(installation))
    throw new Refusal(403, `${rules.name} lets only those change this page who manage it.`);
  const wait = decide(call, profile, page);
  const pending = wait > 0 ? { pending: profile, decideAt: network.now() + wait } : { pending: null, decideAt: null };
  const messages = wait > 0 ? [`${rules.name} looks at it before it is shown.`] : [];
  const state = wait > 0 ? 'PENDING' : 'ACCEPTED';
  if (page) {
    const changed = { ...page, ...pending, profile: wait > 0 ? page.profile : profile };
    updatePage(network, changed);
    return { id: page.id, url: network.urlOf(page.directory, page.id), state, messages };
  }
  const original = candidatePages(network, rules.type, profile).find(
    (other) => other.duplicateOf === null && likeness(profile, other.profile) >= sameScore,
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

/** Milliseconds until it is shown; a refusal is thrown. */
function decide({ network, rules }: DirectoryCall, profile: Profile, page: Page | undefined): number {
  const set = directorySetting(network, rules.type, 'decisions');
  const seconds = page ? rules.review.change : rules.review.create;
  if (set?.decision === 'REFUSED') throw new Refusal(422, ...(set.messages ?? ['Our team has refused this.']));
  if (set?.decision === 'ACCEPTED') return 0;
  const messages = refusals(rules, profile);
  if (messages.length > 0) throw new Refusal(422, ...messages);
  return (set?.decision === 'PENDING' ? seconds || 60 : seconds) * 1000;
}

/** Reviews that are over by now come out well. */
export function endReviews(network: Network): void {
  for (const page of decidedPages(network, network.now())) endReview(network, page, 'ACCEPTED');
}

/** A refused change leaves the page as it was; a refused page is dropped. */
export function endReview(
  network: Network,
  page: Page,
  decision: 'ACCEPTED' | 'REFUSED',
  messages: readonly string[] = ['Our team has refused this after a review.'],
): Page | undefined {
  const done = { ...page, pending: null, decideAt: null };
  const isAccepted = decision === 'ACCEPTED';
  keepReview(network, page, { state: isAccepted ? 'ACCEPTED' : 'REJECTED', messages: isAccepted ? [] : [...messages] });
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
