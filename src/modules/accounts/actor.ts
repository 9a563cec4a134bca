import type { Grant } from '../../api/versions/version-change.ts';
import type { CallerUser } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';

/** The author of a change: a user or key of a partner, or the platform on the partner's behalf. */
export interface Actor {
  readonly partner: { readonly id: number; readonly identifier: string };
  /** The name in events and the audit log: an e-mail address, PRIVATE_TOKEN or SYSTEM. */
  readonly by: string;
  readonly user?: CallerUser;
  /** Unknown label names are rejected instead of created. */
  readonly createsNoLabels?: true;
  /** Services without an id are matched by identifier or title: old API versions have no service ids. */
  readonly findsServicesByName?: true;
}

export const actorOf = ({ partnerId, partnerIdentifier, by, user }: Caller, grants?: ReadonlySet<Grant>): Actor => ({
  partner: { id: partnerId, identifier: partnerIdentifier },
  by,
  ...(user && { user }),
  ...(user && user.role !== 'ADMIN' && grants?.has('ONLY_ADMINS_CREATE_LABELS') && { createsNoLabels: true }),
  ...(grants?.has('SERVICES_BY_IDENTIFIER') && { findsServicesByName: true }),
});

/** Events contain `changedBy` only for changes by a user or a key. */
export const isSystem = ({ by }: Pick<Actor, 'by'>): boolean => by === 'SYSTEM';

export const systemActor = ({ id, identifier }: { id: number; identifier: string }): Actor => ({
  partner: { id, identifier },
  by: 'SYSTEM',
});
