import type { Profile } from '../profile.ts';
import type { DirectoryRules } from './directory-rules.ts';

const forbiddenWords = ['casino', 'escort', 'cannabis', 'viagra', 'payday loan', 'crypto doubler'];
const maxNameLength = 100;

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

/** Reasons for which a directory rejects a submission. */
export function submissionErrors(rules: DirectoryRules, profile: Profile): string[] {
  return [
    ...rules.mandatoryFields
      .filter((field) => isMissing(profile[field as keyof Profile]))
      .map((field) => `${labels[field] ?? `${field} is`} required by ${rules.name}.`),
    ...addressErrors(rules, profile),
    ...nameErrors(profile.name),
    ...wordErrors(profile),
    ...phoneErrors(profile.phone),
    ...descriptionErrors(rules, profile),
  ];
}

const isMissing = (value: unknown) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function addressErrors(rules: DirectoryRules, profile: Profile): string[] {
  if (rules.offers.has('address') || profile.addressDisplay === false || profile.street === undefined) return [];
  return [`${rules.name} shows no street addresses. Submit the location with its address hidden.`];
}

function nameErrors(name: string): string[] {
  if (name.length > maxNameLength) return [`The name is longer than ${maxNameLength} characters.`];
  if (/https?:|www\./i.test(name)) return ['The name must not contain a URL.'];
  if (/\d{6,}/.test(name.replace(/[\s/-]/g, ''))) return ['The name must not contain a phone number.'];
  return [];
}

function wordErrors({ name, descriptionShort = '', descriptionLong = '' }: Profile): string[] {
  const text = `${name} ${descriptionShort} ${descriptionLong}`.toLowerCase();
  return forbiddenWords.filter((word) => text.includes(word)).map((word) => `The word "${word}" is not allowed here.`);
}

function phoneErrors(phone: string | undefined): string[] {
  if (phone === undefined || phone === '') return [];
  const digits = phone.replace(/\D/g, '');
  const isNumber = /^\+?[\d\s()/.-]+$/.test(phone) && digits.length >= 6 && digits.length <= 15;
  // Six identical digits at the end indicate a placeholder.
  if (isNumber && new Set(digits.slice(-6)).size > 1) return [];
  return [`"${phone}" is not a valid phone number.`];
}

function descriptionErrors(rules: DirectoryRules, profile: Profile): string[] {
  const shown = (['descriptionShort', 'descriptionLong'] as const).filter((field) => rules.fields.includes(field));
  return shown
    .filter((field) => (profile[field]?.length ?? 0) > rules.descriptionMaxLength)
    .map(() => `The description is longer than ${rules.descriptionMaxLength} characters.`);
}
