/**
 * The features of all plans of a partner, as a column of the statement that authenticates a request. An archived plan
 * stays valid for the businesses that have it; a plan that waits for approval is not valid yet.
 */
export const planFeaturesOf = (partnerId: string): string =>
  `array(select distinct unnest(features) from product_plans
         where partner_id = ${partnerId} and status <> 'PENDING_APPROVAL')`;
