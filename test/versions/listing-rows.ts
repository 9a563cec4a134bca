import { expect } from 'vitest';
import { upsertBrandPages } from '../../src/modules/feedback/brand-pages/brand-page-store.ts';
import { changeListing, ensureListings } from '../../src/modules/listings/listing-store.ts';
import { addBusiness, addLocation } from '../support/locations.ts';
import type { Rows } from './clients.ts';

export const listingRows: Rows = {
  '20190716 pageStatus was removed': async ({ partner, api, before, on }) => {
    const { id: businessId } = await addBusiness(partner);
    const page = { externalId: 'page-1', name: 'Lindner', followers: 10 };
    const business = { partnerId: partner.partner.id, id: businessId };
    await api.database.transaction((transaction) => upsertBrandPages(transaction, business, 'FACEBOOK', [page]));
    const path = `/api/directory-business-pages?businessIds=${businessId}`;
    expect((await before('GET', path)).directoryBusinessPages).toMatchObject([{ pageStatus: 'PUBLISHED' }]);
    expect((await on('GET', path)).directoryBusinessPages[0]).not.toHaveProperty('pageStatus');
  },

  '20210729 fields in sync are not counted': async ({ partner, api, before, on }) => {
    const { id } = await addLocation(partner);
    await api.database.transaction(async (transaction) => {
      const [listing] = await ensureListings(transaction, partner.partner.id, id, ['GOOGLE']);
      await changeListing(transaction, listing?.id as number, { matchingFields: 7, comparableFields: 9 });
    });
    for (const path of [`/api/dashboard/listing-health/${id}`, `/api/dashboard/listing-health?locationIds=${id}`]) {
      expect(await before('GET', path)).toMatchObject({ countFieldsInSync: 7 });
      expect(await on('GET', path)).toMatchObject({ countFieldsInSync: 0 });
    }
  },
};
