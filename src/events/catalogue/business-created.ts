import { defineEventType } from './define-event-type.ts';
import { business, changedBy, comment } from './field-shapes.ts';

export const businessCreated = defineEventType({
  type: 'BUSINESS_CREATED',
  summary: 'A business was created in the partner account.',
  fields: { business, comment, changedBy },
  example: {
    business: 3310,
    comment: 'Harbour & Vine Ltd, Bristol',
    changedBy: 'PRIVATE_TOKEN',
  },
});
