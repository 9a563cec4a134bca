import { RequestError } from '../http/request-error.ts';
import type { Call, Route } from '../http/router.ts';
import { findPage, type Page } from '../state/page-store.ts';
import type { Ability, DirectoryRules } from './directory-rules.ts';

/** A request to one directory. */
export interface DirectoryCall extends Call {
  rules: DirectoryRules;
}

export type DirectoryRoute = Route<DirectoryCall>;

const abilityNames: Record<Ability, string> = {
  view: 'viewing pages',
  submit: 'submissions',
  claim: 'claims',
  address: 'street addresses',
  reply: 'replies',
  insights: 'insights',
  keywords: 'search keywords',
  'brand-pages': 'brand pages',
  posts: 'posts',
};

export function requireAbility({ rules }: DirectoryCall, ability: Ability): void {
  if (!rules.offers.has(ability))
    throw new RequestError(403, `${rules.name} does not support ${abilityNames[ability]}.`);
}

export function pageOf({ network, rules, params }: DirectoryCall, kind: Page['kind'] = 'listing'): Page {
  const page = findPage(network, rules.type, params.id ?? '');
  if (page?.kind !== kind) throw new RequestError(404, `${rules.name} has no page ${params.id}.`);
  return page;
}
