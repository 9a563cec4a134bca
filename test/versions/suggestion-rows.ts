import { expect } from 'vitest';
import { ensureListings } from '../../src/modules/listings/listing-store.ts';
import { upsertSuggestion } from '../../src/modules/listings/suggestions/suggestion-store.ts';
import { activate, addLocation } from '../support/locations.ts';
import type { Clients, Rows } from './clients.ts';

export const suggestionRows: Rows = {
  '20190702 suggestions are not part of the location': async (clients) => {
    const { before, on } = clients;
    const locationId = await addSuggested(clients);
    const suggestions = [{ field: 'phone', suggestedValue: '+492219999', status: 'PENDING' }];
    expect(await before('GET', `/api/locations/${locationId}`)).toMatchObject({ suggestions });
    const listed = await before('GET', `/api/locations?ids=${locationId}&fieldMask=name&fieldMask=suggestions`);
    expect(listed.locations).toMatchObject([{ id: locationId, suggestions }]);
    expect(await on('GET', `/api/locations/${locationId}`)).not.toHaveProperty('suggestions');
    expect(await on('GET', `/api/locations/${locationId}/suggestions`)).toMatchObject({ suggestions });
    await activate(clients.api, clients.partner, locationId);
    const moved = await before('POST', `/api/locations/${locationId}/status`, { status: 'CLOSED' });
    expect(moved).toMatchObject({ suggestions });

    const echoed = await clients.partner.call('PATCH', `/api/locations/${locationId}?v=${clients.dayBefore}`, {
      name: 'Lindner',
      suggestions,
    });
    expect(echoed.body.warnings).toEqual([
      'suggestions is deprecated since _20190702: it is now GET /api/locations/{id}/suggestions.',
    ]);
  },

  '20190401 suggestions have a status': async (clients) => {
    const { before, on } = clients;
    const locationId = await addSuggested(clients);
    const path = `/api/locations/${locationId}/suggestions`;
    expect((await on('GET', path)).suggestions).toMatchObject([{ status: 'PENDING' }]);
    expect((await before('GET', path)).suggestions[0]).not.toHaveProperty('status');
    expect((await before('GET', `/api/locations/${locationId}`)).suggestions[0]).not.toHaveProperty('status');
  },
};

async function addSuggested({ api, partner }: Clients): Promise<number> {
  const { id: locationId } = await addLocation(partner);
  const partnerId = partner.partner.id;
  await api.database.transaction(async (transaction) => {
    const [listing] = await ensureListings(transaction, partnerId, locationId, ['GOOGLE']);
    const listed = { id: listing?.id as number, partnerId, locationId, directoryType: 'GOOGLE' };
    await upsertSuggestion(transaction, listed, {
      field: 'phone',
      currentValue: null,
      suggestedValue: '+492219999',
    });
  });
  return locationId;
}
