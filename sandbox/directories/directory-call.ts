import { Refusal } from '../http/refusal.ts';
import type { Call, Route } from '../http/router.ts';
import { findPage, type Page } from '../state/page-store.ts';
import type { Ability, DirectoryRules } from './directory-rules.ts';

/** A request to one directory. */
export interface DirectoryCall extends Call {
  rules: DirectoryRules;
}

export type DirectoryRoute = Route<DirectoryCall>;

const lacks: Record<Ability, string> = {
  look: 'has no pages that could be looked at',
  submit: 'takes no submissions',
  claim: 'has no pages that could be claimed',
  address: 'shows no addresses',
  reply: 'takes no replies',
  insights: 'counts nothing',
  keywords: 'does not tell which words a page was found with',
  'brand-pages': 'has no pages of brands',
  posts: 'takes no posts',
};

export function demand({ rules }: DirectoryCall, ability: Ability): void {
  if (!rules.offers.has(ability)) throw new Refusal(403, `${rules.name} ${lacks[ability]}.`);
}

export function pageOf({ network, rules, params }: DirectoryCall, kind: Page['kind'] = 'listing'): Page {
  const page = findPage(network, rules.type, params.id ?? '');
  if (page?.kind !== kind) throw new Refusal(404, `${rules.name} has no page ${params.id}.`);
  return page;
}
