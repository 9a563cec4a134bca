import type { CallerUser } from '../../http/access.ts';
import { Problem } from '../../problems.ts';

/** True for a private key, an administrator or an account manager. */
export const managesAccount = ({ user }: { user?: CallerUser }): boolean =>
  !user || user.role === 'ADMIN' || user.role === 'ACCOUNT_MANAGER';

/** `action` begins the error message, such as "To create a business". */
export function requireAccountManager(caller: { user?: CallerUser }, action: string): void {
  if (managesAccount(caller)) return;
  throw new Problem('FORBIDDEN', {
    message: `${action}, you need the role ADMIN or ACCOUNT_MANAGER. Your role is ${caller.user?.role}.`,
  });
}
