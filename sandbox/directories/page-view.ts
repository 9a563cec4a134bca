import { shownOf } from '../profile.ts';
import type { Network } from '../state/network.ts';
import type { Page } from '../state/page-store.ts';
import type { DirectoryRules } from './directory-rules.ts';

/** Whose a page is, as an installation sees it. */
export function claimOf(network: Network, rules: DirectoryRules, page: Page, installation: number): string {
  // Without a claim process a page is ours when we created it, or when the directory assigned it to our account.
  if (!rules.offers.has('claim')) return page.owner === String(installation) ? 'CLAIMED_BY_US' : 'NOT_CLAIMABLE';
  if (page.owner === 'nobody') return 'NOT_CLAIMABLE';
  if (page.owner === null) return 'CLAIMABLE';
  if (page.owner === 'others') return 'CLAIMED_BY_OTHERS';
  if (page.owner !== String(installation)) return 'CLAIMED_BY_ANOTHER_US';
  return (page.claimedAt ?? 0) > network.now() ? 'CLAIMING_IN_PROGRESS' : 'CLAIMED_BY_US';
}

/** A page as an installation sees it. Of one that is still under review only the name is known. */
export function pageView(network: Network, rules: DirectoryRules, page: Page, installation: number) {
  return {
    id: page.id,
    url: network.urlOf(page.directory, page.id),
    profile: shownOf(page.profile, page.visible ? rules.shows : []),
    claim: claimOf(network, rules, page, installation),
    ...(page.duplicateOf !== null && { duplicateOf: page.duplicateOf }),
    ...(page.pending !== null && { pending: true }),
  };
}
