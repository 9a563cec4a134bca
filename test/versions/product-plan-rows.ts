import { expect } from 'vitest';
import type { Rows } from './clients.ts';

export const productPlanRows: Rows = {
  '20200128 product plans have a status': async ({ before, on }) => {
    const plan = await before('POST', '/api/product-plans', { name: 'Presence', price: 2900, currency: 'EUR' });
    const path = `/api/product-plans/${plan.id}`;
    expect(plan).toMatchObject({ active: false });
    expect(plan).not.toHaveProperty('status');
    expect(await before('PUT', path, { name: 'Presence plus', active: false })).toMatchObject({ active: false });
    expect(await on('GET', path)).toMatchObject({ name: 'Presence plus', status: 'PENDING_APPROVAL' });
    expect(await before('PATCH', path, { active: true })).toMatchObject({ active: true });
    expect(await on('GET', path)).toMatchObject({ status: 'ACTIVE' });
    await before('PATCH', path, { active: false });
    expect(await on('GET', path)).toMatchObject({ status: 'INACTIVE' });
  },

  '20200128 a new plan is active': async ({ partner, before, on, dayBefore }) => {
    const input = { name: 'Presence', price: 2900, currency: 'EUR' };
    const active = await before('POST', '/api/product-plans', { ...input, active: true });
    expect(active).toMatchObject({ active: true });
    expect(await on('GET', `/api/product-plans/${active.id}`)).toMatchObject({ status: 'ACTIVE' });
    const idle = await before('POST', '/api/product-plans', { ...input, active: false });
    expect(idle).toMatchObject({ active: false });
    expect(await on('GET', `/api/product-plans/${idle.id}`)).toMatchObject({ status: 'PENDING_APPROVAL' });
    const response = await partner.call('POST', `/api/product-plans?v=${dayBefore}`, { ...input, active: 'no' });
    expect(response).toMatchObject({ code: 400, body: { errors: [{ field: 'active', rule: 'type' }] } });
  },
};
