import type { Profile } from '../profile.ts';
import type { DirectoryRules } from './directory-rules.ts';

const forbiddenWords = ['casino', 'escort', 'cannabis', 'viagra', 'payday loan', 'crypto doubler'];
const longestName = 100;

const labels: Record<string, string> = {
  openingHours: 'Opening hours are',
  categories: 'A category is',
  descriptionLong: 'A long description is',
  phone: 'A phone number is',
  website: 'A website is',
  street: 'A street is',
  city: 'A city is',
  zip: 'A postal code is',
  country: 'A country is',
  lat: 'A latitude is',
  lng: 'A longitude is',
  name: 'A name is',
};

/** Why a directory does not take a submission, in its own words; nothing when it does. */
export function refusals(rules: DirectoryRules, profile: Profile): string[] {
  return [
    ...rules.needs
      .filter((field) => isMissing(profile[field as keyof Profile]))
      .map((field) => `${labels[field] ?? `${field} is`} required by ${rules.name}.`),
    ...addressRefusals(rules, profile),
    ...nameRefusals(profile.name),
    ...wordRefusals(profile),
    ...phoneRefusals(profile.phone),
    ...descriptionRefusals(rules, profile),
  ];
}

const isMissing = (value: unknown) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function addressRefusals(rules: DirectoryRules, profile: Profile): string[] {
  if (rules.offers.has('address') || profile.addressDisplay === false || profile.street === undefined) return [];
  return [`${rules.name} shows no street addresses: submit the place with its address hidden.`];
}

function nameRefusals(name: string): string[] {
  if (name.length > longestName) return [`The name is longer than ${longestName} letters.`];
  if (/https?:|www\./i.test(name)) return ['The name must not hold a web address.'];
  if (/\d{6,}/.test(name.replace(/[\s/-]/g, ''))) return ['The name must not hold a phone number.'];
  return [];
}

function wordRefusals({ name, descriptionShort = '', descriptionLong = '' }: Profile): string[] {
  const text = `${name} ${descriptionShort} ${descriptionLong}`.toLowerCase();
  return forbiddenWords.filter((word) => text.includes(word)).map((word) => `The word "${word}" is not allowed here.`);
}

function phoneRefusals(phone: string | undefined): string[] {
  if (phone === undefined || phone === '') return [];
  const digits = phone.replace(/\D/g, '');
  const isNumber = /^\+?[\d\s()/.-]+$/.test(phone) && digits.length >= 6 && digits.length <= 15;
  // Nobody has a number that ends in six times the same digit.
  if (isNumber && new Set(digits.slice(-6)).size > 1) return [];
  return [`"${phone}" is not a phone number that can be called.`];
}

function descriptionRefusals(rules: DirectoryRules, profile: Profile): string[] {
  const shown = (['descriptionShort', 'descriptionLong'] as const).filter((field) => rules.shows.includes(field));
  return shown
    .filter((field) => (profile[field]?.length ?? 0) > rules.descriptionMaxLength)
    .map(() => `The description is longer than ${rules.descriptionMaxLength} letters.`);
}
