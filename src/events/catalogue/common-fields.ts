import Type from 'typebox';

/** What every event carries, whatever its type. */
export const commonFields = {
  id: Type.Integer({
    minimum: 1,
    description: 'Unique over all partners and growing; a delivery may come twice, its id tells.',
  }),
  time: Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$',
    description: 'When it happened, in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00.',
  }),
  salesPartnerIdentifier: Type.String({ minLength: 1, description: 'Partner account whose event it is.' }),
};
