import Type from 'typebox';
import { business, changedBy, comment, defineEventType } from './event-type.ts';

const businessCreated = defineEventType({
  type: 'BUSINESS_CREATED',
  summary: 'A business was created in the partner account.',
  fields: { business, comment, changedBy },
  example: {
    business: 3310,
    comment: 'Harbour & Vine Ltd, Bristol',
    changedBy: 'PRIVATE_TOKEN',
  },
});

const businessProductPlanChanged = defineEventType({
  type: 'BUSINESS_PRODUCT_PLAN_CHANGED',
  summary: 'A business and its locations changed to another product plan.',
  fields: {
    business,
    comment,
    newProductPlanId: Type.Integer({ minimum: 1, description: 'Id of the new plan.' }),
    newProductPlanName: Type.String({ description: 'Name of the new plan.' }),
    newProductPlanPrice: Type.Integer({ minimum: 0, description: 'Price of the new plan in cents.' }),
    oldProductPlanId: Type.Integer({ minimum: 1, description: 'Id of the previous plan.' }),
    oldProductPlanName: Type.String({ description: 'Name of the previous plan.' }),
    oldProductPlanPrice: Type.Integer({ minimum: 0, description: 'Price of the previous plan in cents.' }),
    changedBy,
  },
  example: {
    business: 4120,
    comment: 'Upgrade agreed for the new season',
    newProductPlanId: 12,
    newProductPlanName: 'Presence & Reviews',
    newProductPlanPrice: 4900,
    oldProductPlanId: 11,
    oldProductPlanName: 'Presence',
    oldProductPlanPrice: 2900,
    changedBy: 'anna.vogt@alpenblick-hotels.example',
  },
});

export const businessEvents = [businessCreated, businessProductPlanChanged] as const;
