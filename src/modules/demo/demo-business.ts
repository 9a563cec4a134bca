import type { Transaction } from '../../database/transaction.ts';
import { fullReach } from '../../http/access.ts';
import { daysAfter } from '../../values/span.ts';
import type { Actor } from '../accounts/index.ts';
import {
  type BusinessInput,
  createBusiness,
  insertProductPlan,
  listBusinesses,
  listProductPlans,
  newTerms,
} from '../catalog/index.ts';
import type { DemoCity } from './demo-address.ts';
import { bakeryCities, coffeeRoasterCities, fitnessClubCities } from './demo-cities.ts';

export type BusinessKey = 'bakery' | 'coffee' | 'fitness';

export interface DemoBusiness {
  readonly key: BusinessKey;
  readonly name: string;
  readonly website: string;
  readonly mailDomain: string;
  /** Category paths. The first is the main category; only some locations have the others. */
  readonly categories: readonly [string, ...string[]];
  readonly cities: readonly DemoCity[];
  readonly company: Omit<BusinessInput, 'identifier' | 'name' | 'website'>;
}

/** Three fictional chains in different industries and countries. */
export const demoBusinesses: readonly DemoBusiness[] = [
  {
    key: 'bakery',
    name: 'Bäckerei Morgenkorn',
    website: 'https://www.morgenkorn.example',
    mailDomain: 'morgenkorn.example',
    categories: ['shop/bakery', 'amenity/cafe'],
    cities: bakeryCities,
    company: {
      type: 'ENTERPRISE',
      address: { street: 'Invalidenstraße', streetNo: '34', zip: '10115', city: 'Berlin', country: 'DE' },
      phone: '+493023125900',
      email: 'zentrale@morgenkorn.example',
    },
  },
  {
    key: 'coffee',
    name: 'Kettle & Quay Coffee Roasters',
    website: 'https://www.kettleandquay.example',
    mailDomain: 'kettleandquay.example',
    categories: ['amenity/cafe', 'shop/coffee'],
    cities: coffeeRoasterCities,
    company: {
      type: 'SMB',
      address: { street: 'Corn Street', streetNo: '41', zip: 'BS1 4DJ', city: 'Bristol', country: 'GB' },
      phone: '+441174960900',
      email: 'hello@kettleandquay.example',
    },
  },
  {
    key: 'fitness',
    name: 'Velamonte Fitness',
    website: 'https://www.velamonte.example',
    mailDomain: 'velamonte.example',
    categories: ['leisure/fitness_centre', 'leisure/sports_centre'],
    cities: fitnessClubCities,
    company: {
      type: 'ENTERPRISE',
      address: {
        street: 'Congress Avenue',
        streetNo: '610',
        zip: '78701',
        city: 'Austin',
        province: 'TX',
        country: 'US',
      },
      phone: '+15125550199',
      email: 'office@velamonte.example',
    },
  },
];

/** Independent of the seed. */
export const businessIdentifier = ({ key }: Pick<DemoBusiness, 'key'>): string => `demo-${key}`;

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
};

/** Finds or creates the demo businesses and their product plans. Returns the business ids. */
export async function ensureBusinesses(
  transaction: Transaction,
  actor: Actor,
  today: string,
): Promise<Record<BusinessKey, number>> {
  const filter = { reach: fullReach, identifier: demoBusinesses.map(businessIdentifier) };
  const page = { offset: 0, max: demoBusinesses.length, sort: 'id', descending: false } as const;
  const known = await listBusinesses(transaction, actor.partner.id, filter, page);
  const ids: Partial<Record<BusinessKey, number>> = {};
  for (const { key, name, website, company } of demoBusinesses) {
    const identifier = businessIdentifier({ key });
    const existing = known.find((business) => business.identifier === identifier);
    const create = async () => {
      const plans = await plansOf(transaction, actor, key, today);
      return createBusiness(transaction, actor, { ...company, ...plans, identifier, name, website });
    };
    ids[key] = (existing ?? (await create())).id;
  }
  return ids as Record<BusinessKey, number>;
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
  const plan = plans[name];
  const found = await listProductPlans(transaction, partner.id, { query: plan.identifier }, { offset: 0, max: 10 });
  const known = found.find(({ identifier }) => identifier === plan.identifier);
  if (known) return known.id;
  return (await insertProductPlan(transaction, partner.id, newTerms({ ...plan, status: 'ACTIVE' }))).id;
}
