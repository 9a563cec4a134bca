import { invalidField } from '../../problems.ts';
import { checkPushUrl, hostOf, type Refusal, resolveTarget, type TargetPolicy } from '../transport/address-guard.ts';

type Judgement = { usable: true; message?: string } | ({ usable: false } & Refusal);

/** Refuses a push URL that could never be sent to. Returns a warning when its name has no public address yet. */
export async function checkTarget(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<string | undefined> {
  const judged = await judgeTarget(pushUrl, policy, owner);
  if (judged.usable) return judged.message;
  throw invalidField('pushUrl', judged.rule, `pushUrl cannot be used. ${judged.message}`);
}

/** The same as a response, for a user who is still typing. */
export async function judgeTarget(pushUrl: string, policy: TargetPolicy, owner?: number): Promise<Judgement> {
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
