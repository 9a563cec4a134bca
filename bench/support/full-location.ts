import { categoryId } from '../../src/modules/catalog/categories/category.ts';

/** Creates records over the API. */
export const poster = (origin: string, privateKey: string) => async (path: string, body: object) => {
  const httpResponse = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { privateKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { status, message, response } = (await httpResponse.json()) as {
    status: string;
    message?: string;
    response: { id: number };
  };
  if (status !== 'SUCCESS') throw new Error(`POST ${path}: ${message}`);
  return response;
};

/** A complete profile with every field that differs between versions. */
export const fullLocation = (businessId: number, n: number) => ({
  businessId,
  identifier: `bench-${n}`,
  name: `Bakery ${n}`,
  street: 'Venloer Straße',
  streetNo: String(n),
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  lat: 50.9483,
  lng: 6.9192,
  phone: '+49 221 9524300',
  website: 'https://www.example.com/koeln',
  email: 'koeln@example.com',
  categories: [categoryId('shop/bakery')],
  descriptionShort: 'Bread and rolls from our own oven.',
  descriptionLong: 'Bread and rolls from our own oven, from six in the morning. '.repeat(10),
  openingHours: [1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, from1: '06:00', to1: '18:00' })),
  openingDate: '2031-03-01',
  keywords: Array.from({ length: 10 }, (_, index) => `keyword ${index}`),
  brands: ['Lindner'],
  languages: ['de', 'en'],
  labels: ['Flagship', 'Region West', 'Coffee'],
  services: Array.from({ length: 10 }, (_, index) => ({
    identifier: `service-${index}`,
    title: `Service ${index}`,
    description: 'What we do for you',
    price: 1000,
    currency: 'EUR',
    translations: { de: { title: `Dienst ${index}` } },
  })),
  photos: Array.from({ length: 8 }, (_, index) => ({
    url: `https://example.com/${n}/${index}.jpg`,
    description: 'Rolls',
  })),
  utms: [
    { type: 'GOOGLE', parameters: 'utm_source=google' },
    { type: 'BING', parameters: 'utm_source=bing' },
  ],
});
