import { insertProductPlan } from '../../src/modules/catalog/product-plans/product-plan-store.ts';
import type { TestApi, TestPartner } from './api.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

/** A product plan that businesses can take. */
export async function addPlan(partner: TestPartner, overrides: object = {}): Promise<Answer> {
  const given = { name: 'Presence', price: 2900, currency: 'EUR', ...overrides };
  const { id } = (await partner.call('POST', '/api/product-plans', given)).body.response;
  return (await partner.call('PATCH', `/api/product-plans/${id}`, { status: 'ACTIVE' })).body.response;
}

/** Collections in one of the partner's plans, as if they had always been there: before its first call. */
export async function enableCollections(api: TestApi, { partner }: TestPartner): Promise<void> {
  const terms = { identifier: null, name: 'Collections', description: '', price: 0, currency: 'EUR' };
  const features = { status: 'ACTIVE' as const, directoryTypes: [], features: ['COLLECTIONS'] };
  await insertProductPlan(api.database.pool, partner.id, { ...terms, ...features });
}
