import type { TestPartner } from './api.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

/** A product plan that businesses can take. */
export async function addPlan(partner: TestPartner, overrides: object = {}): Promise<Answer> {
  const given = { name: 'Presence', price: 2900, currency: 'EUR', ...overrides };
  const { id } = (await partner.call('POST', '/api/product-plans', given)).body.response;
  return (await partner.call('PATCH', `/api/product-plans/${id}`, { status: 'ACTIVE' })).body.response;
}
