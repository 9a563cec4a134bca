import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { countryName } from './countries.ts';

const maxLength = 20;

/**
 * Normalizes a postal code. Any short text is accepted for countries without a known format. `problem` follows the name
 * of the field in the error message.
 */
export function checkPostalCode(text: string, country: string): { zip: string } | { problem: string } {
  const zip = text.trim().replace(/\s+/g, ' ').toUpperCase();
  if (zip === '' || zip.length > maxLength) return { problem: `must have 1 to ${maxLength} characters` };
  if (!postcodeValidatorExistsForCountry(country)) return { zip };
  const valid = [zip, zip.replace(/[ -]/g, '')].find((spelling) => postcodeValidator(spelling, country));
  return valid === undefined ? { problem: `must be a postal code of ${countryName(country)}` } : { zip: valid };
}
