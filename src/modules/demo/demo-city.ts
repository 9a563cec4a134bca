/** A city with the data to generate plausible addresses. */
export interface DemoCity {
  readonly name: string;
  /** State or canton, in countries whose addresses contain it. */
  readonly province?: string;
  readonly country: 'AT' | 'CH' | 'DE' | 'ES' | 'FR' | 'GB' | 'IE' | 'IT' | 'US';
  readonly language: 'de' | 'en' | 'es' | 'fr' | 'it';
  readonly timeZone: string;
  /** Template with the city's area code: each x is a digit. From the range reserved for fiction, if the country has one. */
  readonly phone: string;
  readonly districts: readonly DemoDistrict[];
}

export interface DemoDistrict {
  /** Each ? is a character of an Irish postal code, which identifies a single address. */
  readonly zip: string;
  readonly lat: number;
  readonly lng: number;
  readonly streets: readonly string[];
}

export const district = (zip: string, lat: number, lng: number, ...streets: string[]): DemoDistrict => ({
  zip,
  lat,
  lng,
  streets,
});
