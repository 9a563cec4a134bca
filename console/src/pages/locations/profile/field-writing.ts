import { useCallback } from 'react';
import { useMayDo, useSession } from '../../../api/session.ts';
import type { Field } from './profile-draft.ts';

type Group = NonNullable<ReturnType<typeof useSession>['user']['featuresDetailed']['LOCATION_WRITE']>[number];

const groups: Record<Group, readonly Field[]> = {
  NAME: ['name'],
  ADDRESS: [
    ...(['street', 'streetNo', 'addressExtra', 'zip', 'city', 'province', 'country'] as const),
    ...(['lat', 'lng', 'addressDisplay', 'timeZone'] as const),
  ],
  CONTACT: ['phone', 'fax', 'cellphone', 'website', 'email', 'imprint', 'utms', 'callTrackingNumbers'],
  OPENING_HOURS: ['openingHours', 'specialOpeningHours', 'openingHoursNotes', 'openingDate', 'temporarilyClosed'],
  DESCRIPTIONS: ['descriptionShort', 'descriptionLong', 'keywords', 'brands'],
  CATEGORIES: ['categories'],
  ATTRIBUTES: ['attributes', 'paymentOptions', 'languages'],
  SERVICES: ['services', 'serviceAreas'],
  MEDIA: ['photos', 'videos'],
  SOCIAL_PROFILES: ['socialProfiles'],
  LABELS: ['labels'],
  CUSTOM_FIELDS: ['customFields'],
  ADMINISTRATION: ['identifier', 'businessId', 'autoSync'],
};

/** All fields with LOCATION_WRITE, unless the user is limited to field groups. */
export function useFieldWriting(): (field: Field) => boolean {
  const mayWrite = useMayDo('LOCATION_WRITE');
  const { user } = useSession();
  const open = user.featuresDetailed.LOCATION_WRITE;
  const isAdmin = user.role === 'ADMIN';
  return useCallback(
    (field) => mayWrite && (isAdmin || open === undefined || open.some((group) => groups[group].includes(field))),
    [mayWrite, isAdmin, open],
  );
}
