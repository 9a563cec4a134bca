import { StatusBadge } from '../../parts/status-badge.tsx';
import { textOrWords } from '../../texts/t.ts';
import { type LocationStatus, statusTones } from './location-values.ts';

export function LocationStatusBadge({ status }: { status: LocationStatus | undefined }) {
  if (!status) return null;
  return <StatusBadge tone={statusTones[status]}>{textOrWords('locations.statuses', status)}</StatusBadge>;
}
