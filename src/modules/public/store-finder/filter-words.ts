import { languagesFor, readOptions } from '../../catalog/index.ts';
import type { ValueKind } from '../../locations/index.ts';

/** Languages of filter names and values, in addition to the finder's. */
export const filterLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const;

type Names = Record<(typeof filterLanguages)[number], string>;

const names = (...given: [string, string, string, string, string, string, string, string]) =>
  Object.fromEntries(filterLanguages.map((language, index) => [language, given[index]])) as Names;

export const filterNames: Record<ValueKind, Names> = {
  categories: names(
    'Category',
    'Kategorie',
    'Catégorie',
    'Categoría',
    'Categoria',
    'Categorie',
    'Kategoria',
    'Categoria',
  ),
  services: names('Services', 'Leistungen', 'Services', 'Servicios', 'Servizi', 'Diensten', 'Usługi', 'Serviços'),
  labels: names('Labels', 'Labels', 'Étiquettes', 'Etiquetas', 'Etichette', 'Labels', 'Etykiety', 'Etiquetas'),
  paymentOptions: names(
    'Payment options',
    'Zahlungsarten',
    'Moyens de paiement',
    'Formas de pago',
    'Metodi di pagamento',
    'Betaalmogelijkheden',
    'Formy płatności',
    'Formas de pagamento',
  ),
  countries: names('Country', 'Land', 'Pays', 'País', 'Paese', 'Land', 'Kraj', 'País'),
  cities: names('City', 'Stadt', 'Ville', 'Ciudad', 'Città', 'Plaats', 'Miasto', 'Cidade'),
};

/** `de-AT` falls back to `de`, unsupported languages to English. */
export const filterName = (kind: ValueKind, language: string): string =>
  (filterNames[kind] as Record<string, string>)[language.split('-')[0] ?? ''] ?? filterNames[kind].en;

const payment = new Map<string, Map<string, string>>();

/** Names of payment options from OpenStreetMap. */
export function paymentName(option: string, language: string): string {
  for (const candidate of languagesFor(language)) {
    const words = payment.get(candidate) ?? readOptions(candidate, 'payment_multi');
    payment.set(candidate, words);
    const name = words.get(option.toLowerCase());
    if (name !== undefined) return name;
  }
  return option;
}
