import type { Transaction } from '../../database/transaction.ts';
import { fullReach } from '../../http/access.ts';
import { daysAfter } from '../../values/span.ts';
import type { Actor } from '../accounts/index.ts';
import { createBusiness, insertProductPlan, listBusinesses, listProductPlans, newTerms } from '../catalog/index.ts';
import { type BusinessKey, businessIdentifier, demoBusinesses } from './demo-business.ts';

const plans = {
  essential: {
    identifier: 'demo-essential',
    name: 'Essential',
    description: 'Listings on every directory and the inbox.',
    price: 1900,
    currency: 'EUR',
  },
  complete: {
    identifier: 'demo-complete',
    name: 'Complete',
    description: 'Everything of Essential, with collections and social posts.',
    price: 4900,
    currency: 'EUR',
    features: ['COLLECTIONS'],
  },
} as const;

/** Finds or creates the demo businesses and their product plans. Returns the business ids. */
export async function ensureBusinesses(
  transaction: Transaction,
  actor: Actor,
  today: string,
): Promise<Record<BusinessKey, number>> {
  const known = await knownBusinesses(transaction, actor);
  const created = { ...known };
  for (const business of demoBusinesses) {
    if (created[business.key] !== undefined) continue;
    const { id } = await createBusiness(transaction, actor, {
      ...business.company,
      ...(await plansOf(transaction, actor, business.key, today)),
      identifier: businessIdentifier(business),
      name: business.name,
    });
    created[business.key] = id;
  }
  return created as Record<BusinessKey, number>;
}

async function knownBusinesses(
  transaction: Transaction,
  { partner }: Actor,
): Promise<Partial<Record<BusinessKey, number>>> {
  const filter = {
    reach: fullReach,
    identifier: demoBusinesses.map(businessIdentifier),
  };
  const page = { offset: 0, max: demoBusinesses.length, sort: 'id', descending: false } as const;
  const found = await listBusinesses(transaction, partner.id, filter, page);
  return Object.fromEntries(
    demoBusinesses.flatMap((business) => {
      const match = found.find(({ identifier }) => identifier === businessIdentifier(business));
      return match ? [[business.key, match.id]] : [];
    }),
  );
}

/** The coffee roaster has a scheduled change to the larger plan. */
async function plansOf(transaction: Transaction, actor: Actor, key: BusinessKey, today: string) {
  if (key !== 'coffee') return { productPlanId: await planNamed(transaction, actor, 'complete') };
  return {
    productPlanId: await planNamed(transaction, actor, 'essential'),
    nextProductPlanId: await planNamed(transaction, actor, 'complete'),
    effectiveDate: daysAfter(today, 30),
  };
}

async function planNamed(transaction: Transaction, { partner }: Actor, name: keyof typeof plans): Promise<number> {
  const { features = [], ...plan } = { features: undefined, ...plans[name] };
  const found = await listProductPlans(transaction, partner.id, { query: plan.identifier }, { offset: 0, max: 10 });
  const known = found.find(({ identifier }) => identifier === plan.identifier);
  if (known) return known.id;
  const terms = { ...newTerms({ ...plan, features: [...features] }), status: 'ACTIVE' as const };
  return (await insertProductPlan(transaction, partner.id, terms)).id;
}
