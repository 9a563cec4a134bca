import { invalidField } from '../../problems.ts';
import { checkPushUrl, type Refusal, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';

/** Refuses a push URL that could never be sent to. Answers a warning when its name does not resolve yet. */
export async function checkTarget(pushUrl: string, policy: TargetPolicy): Promise<string | undefined> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) throw refused(url);
  const target = await resolveTarget(url, policy);
  if ('rule' in target) throw refused(target);
  if ('unresolved' in target) return `${target.unresolved} Deliveries to pushUrl will fail until that changes.`;
  return undefined;
}

/** The same as an answer, for somebody who is still typing. */
export async function judgeTarget(
  pushUrl: string,
  policy: TargetPolicy,
): Promise<{ usable: boolean; rule?: string; message?: string }> {
  const url = checkPushUrl(pushUrl, policy);
  if ('rule' in url) return { usable: false, ...url };
  const target = await resolveTarget(url, policy);
  if ('rule' in target) return { usable: false, ...target };
  return 'unresolved' in target ? { usable: true, message: target.unresolved } : { usable: true };
}

const refused = ({ rule, message }: Refusal) => invalidField('pushUrl', rule, `pushUrl cannot be used. ${message}`);
