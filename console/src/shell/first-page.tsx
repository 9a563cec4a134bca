import { Navigate } from '@tanstack/react-router';
import { useSession } from '../api/session.ts';
import { pages, settingsPages } from '../pages.ts';
import { destinationsAmong } from './navigation.ts';
import { NoPermission } from './no-permission.tsx';

export function FirstPage() {
  const session = useSession();
  const [first] = [...destinationsAmong(pages, session), ...destinationsAmong(settingsPages, session)];
  return first ? <Navigate to={first.to} replace /> : <NoPermission />;
}
