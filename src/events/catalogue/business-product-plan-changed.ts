import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { business, changedBy, comment } from './field-shapes.ts';

export const businessProductPlanChanged = defineEventType({
  type: 'BUSINESS_PRODUCT_PLAN_CHANGED',
  summary: 'A business, and with it its locations, moved to another product plan.',
  fields: {
    business,
    comment,
    newProductPlanId: Type.Integer({ minimum: 1, description: 'Plan that it has now.' }),
    newProductPlanName: Type.String({ description: "The new plan's name." }),
    newProductPlanPrice: Type.Integer({ minimum: 0, description: "The new plan's price in cents." }),
    oldProductPlanId: Type.Integer({ minimum: 1, description: 'Plan that it had before.' }),
    oldProductPlanName: Type.String({ description: "The old plan's name." }),
    oldProductPlanPrice: Type.Integer({ minimum: 0, description: "The old plan's price in cents." }),
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
