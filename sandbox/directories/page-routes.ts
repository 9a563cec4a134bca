import { Refusal } from '../http/refusal.ts';
import { type Profile, profileProblems } from '../profile.ts';
import { candidatePages, deletePage, findPage, updatePage } from '../state/page-store.ts';
import { findReview } from '../state/review-store.ts';
import { type DirectoryCall, type DirectoryRoute, demand, pageOf } from './directory-call.ts';
import { isLikely, likeness } from './match.ts';
import { claimOf, pageView } from './page-view.ts';
import { submit } from './submit.ts';

const mostResults = 10;

export const pageRoutes: readonly DirectoryRoute[] = [
  { method: 'POST', path: '/search', handle: search },
  { method: 'GET', path: '/pages', handle: resolve },
  { method: 'GET', path: '/pages/:id', handle: read },
  { method: 'GET', path: '/pages/:id/review', handle: review },
  { method: 'POST', path: '/pages', handle: (call) => submit(call, profileOf(call), undefined) },
  { method: 'PUT', path: '/pages/:id', handle: (call) => submit(call, profileOf(call), pageOf(call)) },
  { method: 'DELETE', path: '/pages/:id', handle: remove },
  { method: 'POST', path: '/pages/:id/claim', handle: claim },
];

function profileOf({ body }: DirectoryCall): Profile {
  const problems = profileProblems(body.profile);
  if (problems.length > 0) throw new Refusal(400, ...problems);
  return body.profile as Profile;
}

function search(call: DirectoryCall) {
  demand(call, 'look');
  const { network, rules, installation } = call;
  const sought = profileOf(call);
  const found = candidatePages(network, rules.type, sought)
    .map((page) => ({ page, score: likeness(sought, page.profile) }))
    .filter(({ score }) => isLikely(score))
    // An original comes before its duplicates, and what was there first before what came later.
    .sort((a, b) => rank(b) - rank(a) || a.page.number - b.page.number)
    .slice(0, mostResults);
  return { results: found.map(({ page }) => pageView(network, rules, page, installation)) };
}

const rank = ({ page, score }: { page: { duplicateOf: string | null }; score: number }) =>
  Math.round(score * 100) - (page.duplicateOf === null ? 0 : 20);

function read(call: DirectoryCall) {
  demand(call, 'look');
  const { network, rules, installation } = call;
  return pageView(network, rules, pageOf(call), installation);
}

/** The page at a URL, however its scheme, its query and its end are written. */
function resolve(call: DirectoryCall) {
  demand(call, 'look');
  const { network, rules, installation, query } = call;
  const given = URL.parse(query.get('url') ?? '');
  const site = rules.site === undefined ? null : URL.parse(rules.site);
  const isHere = given && site && given.host === site.host && given.pathname.startsWith(site.pathname);
  const [id = ''] = isHere ? given.pathname.slice(site.pathname.length).split('/') : [];
  const page = findPage(network, rules.type, id);
  if (page?.kind !== 'listing') throw new Refusal(404, `${rules.name} has no page at ${query.get('url')}.`);
  return pageView(network, rules, page, installation);
}

/** How the review of the last submission for a page stands, for those who submitted it. */
function review(call: DirectoryCall) {
  demand(call, 'submit');
  const { network, rules, installation, params } = call;
  const us = String(installation);
  const page = findPage(network, rules.type, params.id ?? '');
  if (page?.owner === us && page.pending !== null) return { state: 'PENDING', messages: [], pageExists: true };
  const known = findReview(network, rules.type, params.id ?? '');
  if (known?.owner !== us) throw new Refusal(404, `${rules.name} has reviewed nothing for page ${params.id}.`);
  return { state: known.state, messages: known.messages, pageExists: page !== undefined };
}

function remove(call: DirectoryCall) {
  demand(call, 'submit');
  const { network, rules, installation, params } = call;
  const page = findPage(network, rules.type, params.id ?? '');
  if (page?.kind !== 'listing') return { removed: false };
  if (page.owner !== null && page.owner !== String(installation)) {
    throw new Refusal(403, `${rules.name} removes a page only for those who manage it.`);
  }
  deletePage(network, page);
  return { removed: true };
}

function claim(call: DirectoryCall) {
  demand(call, 'claim');
  const { network, rules, installation } = call;
  const page = pageOf(call);
  if (page.owner === null) {
    page.owner = String(installation);
    page.claimedAt = network.now() + rules.claimSeconds * 1000;
    updatePage(network, page);
  }
  return { claim: claimOf(network, rules, page, installation) };
}
