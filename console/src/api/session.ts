import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiProblem } from './api-problem.ts';
import type { User } from './api-types.ts';
import { call, callWith, type ResponseOf } from './call.ts';

type Partner = ResponseOf<'GET /api/sales-partners'>['salesPartners'][number];
type Feature = User['features'][number];

/** The signed-in user and their organisation. */
export interface Session {
  user: User;
  partner: Partner;
}

const sessionKey = ['session'];

/** Null without a session. */
export function useSessionQuery() {
  return useQuery<Session | null, ApiProblem>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      try {
        const user = await callWith('GET /api/users/me', undefined, { signal, allowNoSession: true });
        // The list is ordered by id, so the user's own partner is first.
        const { salesPartners } = await call('GET /api/sales-partners', { query: { max: 1 } });
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
    /** Reloads the session and clears all cached data. */
    enter: async () => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      await queries.refetchQueries({ queryKey: sessionKey });
    },
    signOut: async () => {
      await callWith('POST /api/users/logout', {}, { allowNoSession: true }).catch((problem: ApiProblem) => {
        // An expired session counts as signed out.
        if (problem.code !== 401) throw problem;
      });
      queries.setQueryData(sessionKey, null);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    },
    /** Returns to the sign-in page. */
    leave: () => queries.setQueryData(sessionKey, null),
    refresh: () => queries.invalidateQueries({ queryKey: sessionKey }),
  };
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession requires a session.');
  return session;
}

/** Hides actions without permission. The server enforces permissions. */
export function mayDo({ user }: Session, needs: Feature | 'ADMIN' | undefined): boolean {
  if (needs === undefined || user.role === 'ADMIN') return true;
  return needs !== 'ADMIN' && user.features.includes(needs);
}

export const useMayDo = (needs: Feature | 'ADMIN'): boolean => mayDo(useSession(), needs);

export type Needs = Feature | 'ADMIN';
