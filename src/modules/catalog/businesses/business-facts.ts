import { type FieldError, Problem } from '../../../problems.ts';
import { checkPostalCode, countryCode, notACountry } from '../../../values/countries.ts';
import { checkPhone } from '../../../values/phones.ts';
import type { Address, BusinessChangeInput, BusinessFacts, BusinessInput } from './business.ts';

const emptyFacts: BusinessFacts = {
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

export const newFacts = (input: BusinessInput): BusinessFacts => changedFacts(emptyFacts, input);

/** Null deletes a value. All errors are reported together. */
export function changedFacts(facts: BusinessFacts, change: Omit<BusinessChangeInput, 'status'>): BusinessFacts {
  const errors: FieldError[] = [];
  const addError = (field: string, rule: string, problem: string) =>
    errors.push({ field, rule, message: `${field} ${problem}.` });

  const address = changedAddress(facts, change.address);
  if (address.country !== null) {
    const country = countryCode(address.country);
    if (country === undefined) addError('address.country', 'country', notACountry);
    address.country = country ?? null;
  }
  const countryChanged = address.country !== facts.country;
  if (address.zip !== null && address.country !== null && (countryChanged || address.zip !== facts.zip)) {
    const checked = checkPostalCode(address.zip, address.country);
    if ('problem' in checked) addError('address.zip', 'postalCode', checked.problem);
    else address.zip = checked.zip;
  }
  let phone = changedText(facts.phone, change.phone);
  if (phone !== null && errors.length === 0 && (countryChanged || phone !== facts.phone)) {
    const checked = checkPhone(phone, address.country ?? undefined);
    if ('problem' in checked) addError('phone', 'phone', checked.problem);
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

/** Null deletes the whole address. */
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
