import { shownOf } from '../profile.ts';
import type { Network } from '../state/network.ts';
import type { Page } from '../state/page-store.ts';
import type { DirectoryRules } from './directory-rules.ts';

/** Claim status of a page for an installation. */
export function claimOf(network: Network, rules: DirectoryRules, page: Page, installation: number): string {
  // Without a claim process, the owner is the creator or the account that the directory assigned.
  if (!rules.offers.has('claim')) return page.owner === String(installation) ? 'CLAIMED_BY_US' : 'NOT_CLAIMABLE';
  if (page.owner === 'nobody') return 'NOT_CLAIMABLE';
  if (page.owner === null) return 'CLAIMABLE';
  if (page.owner === 'others') return 'CLAIMED_BY_OTHERS';
  if (page.owner !== String(installation)) return 'CLAIMED_BY_ANOTHER_US';
  return (page.claimedAt ?? 0) > network.now() ? 'CLAIMING_IN_PROGRESS' : 'CLAIMED_BY_US';
}

/** The page for an installation. A new page under review shows only its name. */
export function pageView(network: Network, rules: DirectoryRules, page: Page, installation: number) {
  return {
    id: page.id,
    url: network.urlOf(page.directory, page.id),
    profile: shownOf(page.profile, page.visible ? rules.fields : []),
    claim: claimOf(network, rules, page, installation),
    ...(page.duplicateOf !== null && { duplicateOf: page.duplicateOf }),
    ...(page.pending !== null && { pending: true }),
  };
}
