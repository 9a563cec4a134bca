import Type from 'typebox';

/** Fields of every event. */
export const commonFields = {
  id: Type.Integer({
    minimum: 1,
    description:
      'Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates.',
  }),
  time: Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$',
    description: 'Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00.',
  }),
  salesPartnerIdentifier: Type.String({ minLength: 1, description: 'Partner account of the event.' }),
};
