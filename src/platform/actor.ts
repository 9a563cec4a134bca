import type { CallerUser } from '../http/access.ts';
import type { Caller } from '../http/authenticate.ts';

/** Who makes a change: somebody at a partner, or the platform itself on the partner's behalf. */
export interface Actor {
  readonly partner: { readonly id: number; readonly identifier: string };
  /** As events name it: an e-mail address, PRIVATE_TOKEN or SYSTEM. */
  readonly by: string;
  readonly user?: CallerUser;
}

export const actorOf = ({ partnerId, partnerIdentifier, by, user }: Caller): Actor => ({
  partner: { id: partnerId, identifier: partnerIdentifier },
  by,
  ...(user && { user }),
});

export const systemActor = ({ id, identifier }: { id: number; identifier: string }): Actor => ({
  partner: { id, identifier },
  by: 'SYSTEM',
});
