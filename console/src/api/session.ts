import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiProblem } from './api-problem.ts';
import type { User } from './api-types.ts';
import { callWith, type ResponseOf } from './call.ts';

type Partner = ResponseOf<'GET /api/sales-partners'>['salesPartners'][number];
type Feature = User['features'][number];

/** A feature, the role of administrator, or LOCATION_WRITE with access to a business. */
export type Permission = Feature | 'ADMIN' | 'LOCATION_CREATE';

/** The signed-in user and their organisation. */
export interface Session {
  user: User;
  partner: Partner;
}

const sessionKey = ['session'];

/** The data is null if the user is not signed in. */
export function useSessionQuery() {
  return useQuery<Session | null, ApiProblem>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      try {
        // The sign-in dialog, for which other requests wait after a 401, is not shown before the session is loaded.
        const options = { signal, allowNoSession: true };
        const user = await callWith('GET /api/users/me', undefined, options);
        // The list is ordered by id, so the user's own partner is first.
        const { salesPartners } = await callWith('GET /api/sales-partners', { query: { max: 1 } }, options);
        const [partner] = salesPartners;
        if (!partner) throw new ApiProblem(404, {});
        return { user, partner };
      } catch (error) {
        if (error instanceof ApiProblem && error.code === 401) return null;
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

export function useSignIn() {
  const queries = useQueryClient();
  return {
    signIn: (email: string, password: string) =>
      callWith('POST /api/users/login', { body: { email, password, session: 'cookie' } }, { allowNoSession: true }),
    /** Called after signing in. Removes cached data, which may belong to another user. */
    loadSession: async () => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      await queries.refetchQueries({ queryKey: sessionKey });
    },
    signOut: async () => {
      await callWith('POST /api/users/logout', {}, { allowNoSession: true }).catch((problem: ApiProblem) => {
        // 401: the session has already expired.
        if (problem.code !== 401) throw problem;
      });
      queries.setQueryData(sessionKey, null);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    },
    /** Shows the sign-in page without a request to the server. */
    clearSession: () => queries.setQueryData(sessionKey, null),
    refresh: () => queries.invalidateQueries({ queryKey: sessionKey }),
  };
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession requires a session.');
  return session;
}

/** Decides which actions the console shows. The server enforces the permissions. */
export function hasPermission({ user }: Session, permission: Permission | undefined): boolean {
  if (permission === undefined || user.role === 'ADMIN') return true;
  if (permission === 'LOCATION_CREATE') {
    const hasBusiness = user.role === 'ACCOUNT_MANAGER' || user.businessIds.length > 0;
    return hasBusiness && user.features.includes('LOCATION_WRITE');
  }
  return permission !== 'ADMIN' && user.features.includes(permission);
}

export const useHasPermission = (permission: Permission): boolean => hasPermission(useSession(), permission);
