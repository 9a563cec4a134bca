import { type Trigger, type TriggerRun, temporaryName } from './trigger.ts';

interface Plan {
  id: number;
  status: string;
}

/** A business that is deleted at the end. */
export async function addBusiness(run: TriggerRun, name: string, settings: object = {}): Promise<number> {
  const { id } = await run.api.call<{ id: number }>('POST', '/api/businesses', { name, ...settings });
  run.say(`Business ${id} created.`);
  run.restoreAtEnd(`Business ${id} deleted.`, () => run.api.call('DELETE', `/api/businesses/${id}`));
  return id;
}

/** Two active plans; missing ones are created. They cannot be deleted, because deleted businesses refer to them. */
async function twoPlans(run: TriggerRun): Promise<[number, number]> {
  const path = '/api/product-plans';
  const { productPlans } = await run.api.call<{ productPlans: Plan[] }>('GET', `${path}?status=ACTIVE&max=2`);
  const ids = productPlans.map(({ id }) => id);
  while (ids.length < 2) {
    const plan = { name: temporaryName(), price: 100 * ids.length, currency: 'EUR', status: 'ACTIVE' };
    const { id } = await run.api.call<Plan>('POST', path, plan);
    run.restoreAtEnd(`Product plan ${id}, which was created, is INACTIVE and stays.`, () =>
      run.api.call('PATCH', `${path}/${id}`, { status: 'INACTIVE' }),
    );
    ids.push(id);
  }
  return ids as [number, number];
}

export const businessTriggers = {
  BUSINESS_CREATED: {
    change: 'creates a business and deletes it',
    run: (run) => {
      const name = temporaryName();
      return run.eventOf(
        () => addBusiness(run, name),
        ({ comment }) => comment === name,
      );
    },
  },
  BUSINESS_PRODUCT_PLAN_CHANGED: {
    change: 'changes the plan of a business that it creates and deletes',
    run: async (run) => {
      const [first, second] = await twoPlans(run);
      const id = await addBusiness(run, temporaryName(), { productPlanId: first });
      return run.eventOf(
        () => run.api.call('PATCH', `/api/businesses/${id}`, { productPlanId: second }),
        ({ business }) => business === id,
      );
    },
  },
} satisfies Record<string, Trigger>;
