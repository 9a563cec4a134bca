import { useCallback } from 'react';
import { locationFields } from '../../../api/location-fields.ts';
import { useMayDo, useSession } from '../../../api/session.ts';
import type { Field } from './profile-draft.ts';

/** All fields with LOCATION_WRITE, unless the user is limited to field groups. */
export function useFieldWriting(): (field: Field) => boolean {
  const mayWrite = useMayDo('LOCATION_WRITE');
  const { user } = useSession();
  const open = user.featuresDetailed.LOCATION_WRITE;
  const isAdmin = user.role === 'ADMIN';
  return useCallback(
    (field) => mayWrite && (isAdmin || open === undefined || open.includes(locationFields[field].group)),
    [mayWrite, isAdmin, open],
  );
}
