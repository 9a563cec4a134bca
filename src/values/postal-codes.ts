import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { countryName } from './countries.ts';

const longest = 20;

/**
 * A postal code as it is kept: in capitals, without spaces around it. Where a country has no postal codes, or none
 * whose form is known, any short text passes. `problem` reads on after the name of the field.
 */
export function checkPostalCode(text: string, country: string): { zip: string } | { problem: string } {
  const zip = text.trim().replace(/\s+/g, ' ').toUpperCase();
  if (zip === '' || zip.length > longest) return { problem: `must have 1 to ${longest} characters` };
  if (!postcodeValidatorExistsForCountry(country)) return { zip };
  const fitting = [zip, zip.replace(/[ -]/g, '')].find((spelling) => postcodeValidator(spelling, country));
  return fitting === undefined ? { problem: `must be a postal code of ${countryName(country)}` } : { zip: fitting };
}
