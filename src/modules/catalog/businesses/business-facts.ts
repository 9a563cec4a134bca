import { type FieldError, Problem } from '../../../problems.ts';
import { countryCode, notACountry } from '../../../values/countries.ts';
import { checkPhone } from '../../../values/phones.ts';
import { checkPostalCode } from '../../../values/postal-codes.ts';
import type { Address, BusinessChangeInput, BusinessFacts, BusinessInput } from './business.ts';

const nothing: BusinessFacts = {
  identifier: null,
  name: '',
  type: 'SMB',
  street: null,
  streetNo: null,
  zip: null,
  city: null,
  province: null,
  country: null,
  phone: null,
  email: null,
  website: null,
};

export const newFacts = (input: BusinessInput): BusinessFacts => changedFacts(nothing, input);

/** What is given replaces what was, null deletes it. Everything that is wrong is named at once. */
export function changedFacts(facts: BusinessFacts, change: Omit<BusinessChangeInput, 'status'>): BusinessFacts {
  const errors: FieldError[] = [];
  const wrong = (field: string, rule: string, problem: string) =>
    errors.push({ field, rule, message: `${field} ${problem}.` });

  const address = changedAddress(facts, change.address);
  if (address.country !== null) {
    const country = countryCode(address.country);
    if (country === undefined) wrong('address.country', 'country', notACountry);
    address.country = country ?? null;
  }
  const moved = address.country !== facts.country;
  if (address.zip !== null && address.country !== null && (moved || address.zip !== facts.zip)) {
    const checked = checkPostalCode(address.zip, address.country);
    if ('problem' in checked) wrong('address.zip', 'postalCode', checked.problem);
    else address.zip = checked.zip;
  }
  let phone = changedText(facts.phone, change.phone);
  if (phone !== null && errors.length === 0 && (moved || phone !== facts.phone)) {
    const checked = checkPhone(phone, address.country ?? undefined);
    if ('problem' in checked) wrong('phone', 'phone', checked.problem);
    else phone = checked.phone;
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return {
    ...address,
    identifier: changedText(facts.identifier, change.identifier),
    name: change.name?.trim() ?? facts.name,
    type: change.type ?? facts.type,
    phone,
    email: changedText(facts.email, change.email),
    website: changedText(facts.website, change.website),
  };
}

/** Parts of an address that are not given stay; null in its place deletes all of it. */
function changedAddress(facts: Address, change: BusinessChangeInput['address']): Address {
  const part = (name: keyof Address) => (change === null ? null : changedText(facts[name], change?.[name]));
  return {
    street: part('street'),
    streetNo: part('streetNo'),
    zip: part('zip'),
    city: part('city'),
    province: part('province'),
    country: part('country'),
  };
}

function changedText(value: string | null, change: string | null | undefined): string | null {
  if (change === undefined) return value;
  return change?.trim() || null;
}
