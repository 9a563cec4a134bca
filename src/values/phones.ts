import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { countryName } from './countries.ts';

/**
 * A phone number as it is kept: E.164, with ` ext. 12` behind it when there is an extension, or what is wrong with it.
 * Without a country it must be written in the international way. `problem` reads on after the name of the field.
 */
export function checkPhone(text: string, country: string | undefined): { phone: string } | { problem: string } {
  const home = country !== undefined && isSupportedCountry(country) ? country : undefined;
  const number = parsePhoneNumberFromString(text.trim(), {
    extract: false,
    ...(home && { defaultCountry: home }),
  });
  if (!number?.isValid() || !isOf(number, home)) return { problem: misfit(country, home) };
  return { phone: number.ext ? `${number.number} ext. ${number.ext}` : number.number };
}

/** Countries may share a calling code (US and CA, GB and JE); freephone numbers such as +800 belong to no country. */
const isOf = (number: PhoneNumber, country: CountryCode | undefined) =>
  country === undefined || number.isNonGeographic() || number.countryCallingCode === getCountryCallingCode(country);

function misfit(country: string | undefined, home: CountryCode | undefined): string {
  if (home === undefined) {
    const where = country === undefined ? '' : ` (${countryName(country)} has no numbers of its own)`;
    return `must be a phone number in international form such as +49 30 901820${where}`;
  }
  const example = getExampleNumber(home, examples);
  const written = example ? `, written like ${example.formatInternational()} or ${example.formatNational()}` : '';
  return `must be a phone number of ${countryName(home)}${written}`;
}
