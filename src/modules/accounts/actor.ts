import type { Grant } from '../../api/versions/version-change.ts';
import type { CallerUser } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';

/** Who makes a change: somebody at a partner, or the platform itself on the partner's behalf. */
export interface Actor {
  readonly partner: { readonly id: number; readonly identifier: string };
  /** As events name it: an e-mail address, PRIVATE_TOKEN or SYSTEM. */
  readonly by: string;
  readonly user?: CallerUser;
  /** Names of labels that do not exist are not taken for new ones. */
  readonly createsNoLabels?: true;
  /** Services without an id are found by their identifier or title, as before services had ids. */
  readonly findsServicesByName?: true;
}

export const actorOf = ({ partnerId, partnerIdentifier, by, user }: Caller, grants?: ReadonlySet<Grant>): Actor => ({
  partner: { id: partnerId, identifier: partnerIdentifier },
  by,
  ...(user && { user }),
  ...(user && user.role !== 'ADMIN' && grants?.has('ONLY_ADMINS_CREATE_LABELS') && { createsNoLabels: true }),
  ...(grants?.has('SERVICES_BY_IDENTIFIER') && { findsServicesByName: true }),
});

/** Events name a user only when a person or a key caused the change. */
export const isSystem = ({ by }: Pick<Actor, 'by'>): boolean => by === 'SYSTEM';

export const systemActor = ({ id, identifier }: { id: number; identifier: string }): Actor => ({
  partner: { id, identifier },
  by: 'SYSTEM',
});
