import { type FieldError, Problem } from '../../../problems.ts';
import { checkPostalCode, countryCode, notACountry } from '../../../values/countries.ts';
import { checkPhone } from '../../../values/phones.ts';
import { currentCategory, findCategory } from '../../catalog/index.ts';
import { checkUrl, oneLine } from '../../locations/index.ts';
import type { Business, NewReport } from './report.ts';

/** Normalizes the business. Throws all field errors at once. */
export function checkBusiness(given: NewReport): Business {
  const errors: FieldError[] = [];
  const reject = (field: string, rule: string, message: string) =>
    errors.push({ field, rule, message: `${field} ${message}.` });
  const country = countryCode(given.country);
  if (country === undefined) reject('country', 'country', notACountry);
  const zip = given.zip === undefined || country === undefined ? undefined : checkPostalCode(given.zip, country);
  if (zip && 'problem' in zip) reject('zip', 'zip', zip.problem);
  const phone = given.phone === undefined || country === undefined ? undefined : checkPhone(given.phone, country);
  if (phone && 'problem' in phone) reject('phone', 'phone', phone.problem);
  const website = given.website === undefined ? undefined : checkUrl('website', given.website);
  if (website && 'errors' in website) errors.push(...website.errors);
  const category = findCategory(given.categoryId) && currentCategory(given.categoryId);
  if (!category?.selectable) {
    reject('categoryId', 'known', 'must be the id of a category from GET /api/near-me-check/categories');
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return {
    name: oneLine(given.name),
    streetAndNo: oneLine(given.streetAndNo),
    zip: zip && 'zip' in zip ? zip.zip : null,
    city: oneLine(given.city),
    country: country ?? '',
    categoryId: category?.id ?? given.categoryId,
    phone: phone && 'phone' in phone ? phone.phone : null,
    website: website && 'value' in website ? website.value : null,
  };
}
