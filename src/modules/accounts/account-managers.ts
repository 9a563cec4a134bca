import type { CallerUser } from '../../http/access.ts';
import { Problem } from '../../problems.ts';

/** Whether somebody runs the partner's whole account: a private key, an administrator or an account manager. */
export const managesAccount = ({ user }: { user?: CallerUser }): boolean =>
  !user || user.role === 'ADMIN' || user.role === 'ACCOUNT_MANAGER';

/** `what` is the sentence's beginning, such as "To create a business". */
export function requireAccountManager(who: { user?: CallerUser }, what: string): void {
  if (managesAccount(who)) return;
  throw new Problem('FORBIDDEN', {
    message: `${what} you need the role ADMIN or ACCOUNT_MANAGER; you are ${who.user?.role}.`,
  });
}
