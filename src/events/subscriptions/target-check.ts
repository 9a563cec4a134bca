import { invalidField } from '../../problems.ts';
import { checkPushUrl, hostOf, type Refusal, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';

type TargetCheck = { usable: true; message?: string } | ({ usable: false } & Refusal);

/** Throws if deliveries to the push URL can never succeed. Returns a warning if its host has no public address yet. */
export async function checkTarget(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<string | undefined> {
  const checked = await checkTargetUsable(pushUrl, policy, owner);
  if (checked.usable) return checked.message;
  throw invalidField('pushUrl', checked.rule, `pushUrl cannot be used. ${checked.message}`);
}

/** The same check as a value, for validation while the user types. */
export async function checkTargetUsable(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<TargetCheck> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) return { usable: false, ...url };
  const target = await resolveTarget(url, policy, owner);
  if ('addresses' in target) return { usable: true };
  if ('rule' in target) return { usable: false, ...target };
  return {
    usable: true,
    message: `The host ${hostOf(url)} has no public address. Deliveries fail until it has one: check its spelling and its DNS records.`,
  };
}
