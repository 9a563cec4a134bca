import { insertProductPlan } from '../../src/modules/catalog/product-plans/product-plan-store.ts';
import type { TestApi, TestPartner } from './api.ts';

// Tests read responses of any shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type ApiResponse = any;

/** Creates and activates a product plan. */
export async function addPlan(partner: TestPartner, overrides: object = {}): Promise<ApiResponse> {
  const input = { name: 'Presence', price: 2900, currency: 'EUR', ...overrides };
  const { id } = (await partner.call('POST', '/api/product-plans', input)).body.response;
  return (await partner.call('PATCH', `/api/product-plans/${id}`, { status: 'ACTIVE' })).body.response;
}

/** Adds a plan with collections. Call it before the partner's first request, because plan features are cached. */
export async function enableCollections(api: TestApi, { partner }: TestPartner): Promise<void> {
  const terms = { identifier: null, name: 'Collections', description: '', price: 0, currency: 'EUR' };
  const features = { status: 'ACTIVE' as const, directoryTypes: [], features: ['COLLECTIONS'] };
  await insertProductPlan(api.database.pool, partner.id, { ...terms, ...features });
}
