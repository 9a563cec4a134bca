import { RequestError } from '../http/request-error.ts';
import { type Profile, profileProblems } from '../profile.ts';
import { candidatePages, deletePage, findPage, updatePage } from '../state/page-store.ts';
import { findReview } from '../state/review-store.ts';
import { type DirectoryCall, type DirectoryRoute, pageOf, requireAbility } from './directory-call.ts';
import { isMatch, matchScore } from './match.ts';
import { claimOf, pageView } from './page-view.ts';
import { submit } from './submit.ts';

const maxResults = 10;

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
  if (problems.length > 0) throw new RequestError(400, ...problems);
  return body.profile as Profile;
}

function search(call: DirectoryCall) {
  requireAbility(call, 'view');
  const { network, rules, installation } = call;
  const sought = profileOf(call);
  const found = candidatePages(network, rules.type, sought)
    .map((page) => ({ page, score: matchScore(sought, page.profile) }))
    .filter(({ score }) => isMatch(score))
    // Originals before duplicates, older pages before newer ones.
    .sort((a, b) => rank(b) - rank(a) || a.page.number - b.page.number)
    .slice(0, maxResults);
  return { results: found.map(({ page }) => pageView(network, rules, page, installation)) };
}

const rank = ({ page, score }: { page: { duplicateOf: string | null }; score: number }) =>
  Math.round(score * 100) - (page.duplicateOf === null ? 0 : 20);

function read(call: DirectoryCall) {
  requireAbility(call, 'view');
  const { network, rules, installation } = call;
  return pageView(network, rules, pageOf(call), installation);
}

/** Ignores the scheme, the query and trailing path segments. */
function resolve(call: DirectoryCall) {
  requireAbility(call, 'view');
  const { network, rules, installation, query } = call;
  const given = URL.parse(query.get('url') ?? '');
  const site = rules.site === undefined ? null : URL.parse(rules.site);
  const isHere = given && site && given.host === site.host && given.pathname.startsWith(site.pathname);
  const [id = ''] = isHere ? given.pathname.slice(site.pathname.length).split('/') : [];
  const page = findPage(network, rules.type, id);
  if (page?.kind !== 'listing') throw new RequestError(404, `${rules.name} has no page at ${query.get('url')}.`);
  return pageView(network, rules, page, installation);
}

/** Review of the last submission for a page, only for the installation that submitted it. */
function review(call: DirectoryCall) {
  requireAbility(call, 'submit');
  const { network, rules, installation, params } = call;
  const ownInstallation = String(installation);
  const page = findPage(network, rules.type, params.id ?? '');
  if (page?.owner === ownInstallation && page.pending !== null)
    return { state: 'PENDING', messages: [], pageExists: true };
  const known = findReview(network, rules.type, params.id ?? '');
  if (known?.owner !== ownInstallation)
    throw new RequestError(404, `${rules.name} has no review for page ${params.id}.`);
  return { state: known.state, messages: known.messages, pageExists: page !== undefined };
}

function remove(call: DirectoryCall) {
  requireAbility(call, 'submit');
  const { network, rules, installation, params } = call;
  const page = findPage(network, rules.type, params.id ?? '');
  if (page?.kind !== 'listing') return { removed: false };
  if (page.owner !== null && page.owner !== String(installation)) {
    throw new RequestError(403, `Only the owner of the page may remove it from ${rules.name}.`);
  }
  deletePage(network, page);
  return { removed: true };
}

function claim(call: DirectoryCall) {
  requireAbility(call, 'claim');
  const { network, rules, installation } = call;
  const page = pageOf(call);
  if (page.owner === null) {
    page.owner = String(installation);
    page.claimedAt = network.now() + rules.claimSeconds * 1000;
    updatePage(network, page);
  }
  return { claim: claimOf(network, rules, page, installation) };
}
