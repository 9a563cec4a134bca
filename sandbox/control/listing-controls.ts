import { rulesOfType } from '../directories/directory-rules.ts';
import { claimOf } from '../directories/page-view.ts';
import { endReview } from '../directories/submit.ts';
import { RequestError } from '../http/request-error.ts';
import { type Profile, profileProblems } from '../profile.ts';
import { deletePage, insertPage, listPages, type Page, updatePage } from '../state/page-store.ts';
import {
  type ControlCall,
  type ControlRoute,
  choiceOf,
  directoryOf,
  numberOf,
  requirePage,
  textOf,
  timeOf,
} from './control-call.ts';

const dayMs = 86_400_000;
const defaultAgeDays = 400;
const maxListed = 200;

export const listingControls: readonly ControlRoute[] = [
  { method: 'POST', path: '/listings', handle: addListing },
  { method: 'GET', path: '/listings', handle: list },
  { method: 'GET', path: '/listings/:directory/:id', handle: (call) => view(call, pageOfCall(call)) },
  { method: 'PATCH', path: '/listings/:directory/:id', handle: change },
  { method: 'DELETE', path: '/listings/:directory/:id', handle: remove },
  { method: 'POST', path: '/listings/:directory/:id/drift', handle: drift },
  { method: 'POST', path: '/listings/:directory/:id/duplicate', handle: duplicate },
  { method: 'POST', path: '/listings/:directory/:id/decide', handle: decide },
  { method: 'POST', path: '/brand-pages', handle: addBrandPage },
  { method: 'PATCH', path: '/brand-pages/:directory/:id', handle: changeBrandPage },
];

const pageOfCall = (call: ControlCall) => requirePage(call, call.params.id ?? '');

const claims = [
  'CLAIMABLE',
  'NOT_CLAIMABLE',
  'CLAIMED_BY_US',
  'CLAIMED_BY_OTHERS',
  'CLAIMED_BY_ANOTHER_US',
  'CLAIMING_IN_PROGRESS',
] as const;

/** The owner for which the caller sees this claim status. */
function ownerFor(call: ControlCall, claim: (typeof claims)[number]): Pick<Page, 'owner' | 'claimedAt'> {
  const now = call.network.now();
  const ownInstallation = String(call.installation);
  const owners = {
    CLAIMABLE: { owner: null, claimedAt: null },
    NOT_CLAIMABLE: { owner: 'nobody', claimedAt: null },
    CLAIMED_BY_US: { owner: ownInstallation, claimedAt: now },
    CLAIMED_BY_OTHERS: { owner: 'others', claimedAt: now },
    CLAIMED_BY_ANOTHER_US: { owner: 'another', claimedAt: now },
    CLAIMING_IN_PROGRESS: { owner: ownInstallation, claimedAt: now + defaultAgeDays * dayMs },
  };
  return owners[claim];
}

/** The full page, including fields that the directory does not show. */
function view({ network, installation }: ControlCall, page: Page) {
  const rules = rulesOfType(page.directory);
  const url = network.urlOf(page.directory, page.id);
  return {
    directory: page.directory,
    id: page.id,
    ...(url && { url }),
    profile: page.profile,
    claim: rules ? claimOf(network, rules, page, installation) : 'NOT_CLAIMABLE',
    ...(page.duplicateOf !== null && { duplicateOf: page.duplicateOf }),
    ...(page.pending !== null && { pending: true }),
  };
}

export function addListing(call: ControlCall) {
  const rules = directoryOf(call);
  const problems = profileProblems(call.body.profile);
  if (problems.length > 0) throw new RequestError(400, ...problems);
  const claim = choiceOf(call, 'claim', claims) ?? 'CLAIMABLE';
  const page = insertPage(call.network, {
    directory: rules.type,
    kind: 'listing',
    profile: call.body.profile as Profile,
    since: timeOf(call, 'since') ?? call.network.now() - defaultAgeDays * dayMs,
    ...ownerFor(call, claim),
  });
  return view(call, page);
}

function list(call: ControlCall) {
  const directory = call.query.has('directory') ? directoryOf(call).type : undefined;
  const pages = listPages(call.network, directory, call.query.get('text') ?? '', maxListed);
  return { listings: pages.map((page) => view(call, page)) };
}

function change(call: ControlCall) {
  const page = pageOfCall(call);
  const problems = call.body.profile === undefined ? [] : profileProblems(call.body.profile, true);
  if (problems.length > 0) throw new RequestError(400, ...problems);
  const changed = { ...page.profile, ...(call.body.profile as Partial<Profile>) };
  const profile = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null));
  const claim = choiceOf(call, 'claim', claims);
  const original = textOf(call, 'duplicateOf');
  if (original !== undefined) requirePage(call, original);
  const duplicateOf = call.body.duplicateOf === undefined ? page.duplicateOf : (original ?? null);
  const next = { ...page, ...(claim && ownerFor(call, claim)), profile: profile as unknown as Profile, duplicateOf };
  updatePage(call.network, next);
  return view(call, next);
}

function remove(call: ControlCall) {
  deletePage(call.network, pageOfCall(call));
  return { removed: true };
}

function drift(call: ControlCall) {
  const { page, field } = call.activity.drift(pageOfCall(call), textOf(call, 'field'));
  return { ...view(call, page), field };
}

export function duplicate(call: ControlCall) {
  const original = pageOfCall(call);
  const { profile } = original;
  const copy = insertPage(call.network, {
    directory: original.directory,
    kind: 'listing',
    profile: { ...profile, name: `${profile.name} ${profile.city ?? ''}`.trim() },
    duplicateOf: original.duplicateOf ?? original.id,
    since: original.since,
  });
  return view(call, copy);
}

function decide(call: ControlCall) {
  const page = pageOfCall(call);
  const decision = choiceOf(call, 'decision', ['ACCEPTED', 'REFUSED']) ?? 'ACCEPTED';
  if (page.pending === null) throw new RequestError(409, `Listing ${page.id} has no submission under review.`);
  const message = textOf(call, 'message');
  const decided = endReview(call.network, page, decision, message === undefined ? undefined : [message]);
  return decided ? view(call, decided) : { removed: true };
}

export function addBrandPage(call: ControlCall) {
  const rules = directoryOf(call);
  if (!rules.offers.has('brand-pages')) throw new RequestError(422, `${rules.name} does not support brand pages.`);
  const name = requireName(textOf(call, 'name'));
  const page = insertPage(call.network, {
    directory: rules.type,
    kind: 'brand',
    profile: { name },
    owner: String(call.installation),
    claimedAt: call.network.now(),
    followers: numberOf(call, 'followers', 0, 2 ** 31 - 1) ?? 0,
  });
  return { id: page.id, url: call.network.urlOf(rules.type, page.id) };
}

function requireName(name = ''): string {
  if (name.trim() === '') throw new RequestError(400, 'name is required.');
  return name;
}

function changeBrandPage(call: ControlCall) {
  const page = requirePage(call, call.params.id ?? '', 'brand');
  const name = requireName(textOf(call, 'name') ?? page.profile.name);
  const followers = numberOf(call, 'followers', 0, 2 ** 31 - 1) ?? page.followers;
  updatePage(call.network, { ...page, profile: { ...page.profile, name }, followers });
  return { id: page.id, name, followers };
}
