import { invalidField } from '../../problems.ts';
import { checkPushUrl, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';

/** Refuses a push URL that could never be sent to. Answers a warning when its name does not resolve yet. */
export async function checkTarget(pushUrl: string, policy: TargetPolicy): Promise<string | undefined> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) throw invalidField('pushUrl', url.rule, url.message);
  const target = await resolveTarget(url, policy);
  if ('rule' in target) throw invalidField('pushUrl', target.rule, target.message);
  if ('unresolved' in target) return `${target.unresolved} Deliveries to pushUrl will fail until that changes.`;
  return undefined;
}
