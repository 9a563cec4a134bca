/** Location fields by group. LOCATION_WRITE can be restricted to some groups. */
const fieldsByGroup = {
  NAME: ['name'],
  ADDRESS: [
    'street',
    'streetNo',
    'addressExtra',
    'zip',
    'city',
    'province',
    'country',
    'lat',
    'lng',
    'addressDisplay',
    'timeZone',
  ],
  CONTACT: ['phone', 'fax', 'cellphone', 'website', 'email', 'imprint', 'utms', 'websiteExtra', 'callTrackingNumbers'],
  OPENING_HOURS: ['openingHours', 'specialOpeningHours', 'openingHoursNotes', 'openingDate', 'temporarilyClosed'],
  DESCRIPTIONS: ['descriptionShort', 'descriptionLong', 'keywords', 'brands'],
  CATEGORIES: ['categories'],
  ATTRIBUTES: ['attributes', 'paymentOptions', 'languages'],
  SERVICES: ['services', 'serviceAreas', 'contentLists'],
  MEDIA: ['photos', 'videos'],
  SOCIAL_PROFILES: ['socialProfiles'],
  LABELS: ['labels'],
  CUSTOM_FIELDS: ['customFields'],
  ADMINISTRATION: ['identifier', 'businessId', 'status', 'autoSync'],
} as const;

export type FieldGroup = keyof typeof fieldsByGroup;

export const fieldGroups = Object.keys(fieldsByGroup) as FieldGroup[];

export const fieldsOf = (groups: readonly FieldGroup[]): Set<string> =>
  new Set(groups.flatMap((group) => fieldsByGroup[group]));
