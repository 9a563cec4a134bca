/**
 * SQL expression for the features of all plans of a partner. Inactive plans count, because businesses keep them; plans
 * pending approval do not.
 */
export const planFeaturesOf = (partnerId: string): string =>
  `array(select distinct unnest(features) from product_plans
         where partner_id = ${partnerId} and status <> 'PENDING_APPROVAL')`;
