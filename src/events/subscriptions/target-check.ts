import { invalidField } from '../../problems.ts';
import { checkPushUrl, hostOf, type Refusal, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';

/** Refuses a push URL that could never be sent to. Answers a warning when its name does not resolve yet. */
export async function checkTarget(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<string | undefined> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) throw refused(url);
  const target = await resolveTarget(url, policy, owner);
  if ('rule' in target) throw refused(target);
  if ('unresolved' in target) return `${target.unresolved} Deliveries to pushUrl will fail until that changes.`;
  return undefined;
}

/**
 * The same as an answer, for a user who is still typing. A name inside the network of this service gets the same answer as
 * one that does not exist, so that names cannot be tried out.
 */
export async function judgeTarget(
  pushUrl: string,
  policy: TargetPolicy,
  owner: number,
): Promise<{ usable: boolean; rule?: string; message?: string }> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) return { usable: false, ...url };
  const target = await resolveTarget(url, policy, owner);
  if ('addresses' in target) return { usable: true };
  if ('rule' in target && target.rule !== 'address') return { usable: false, ...target };
  const name = hostOf(url);
  return {
    usable: true,
    message: `The host ${name} has no public address. Deliveries fail until it has one: check its spelling and its DNS records.`,
  };
}

const refused = ({ rule, message }: Refusal) => invalidField('pushUrl', rule, `pushUrl cannot be used. ${message}`);
