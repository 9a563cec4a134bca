/** A city where demo locations are, with what is needed to make up addresses that could be there. */
export interface DemoPlace {
  readonly city: string;
  /** State or canton where addresses carry one. */
  readonly province?: string;
  readonly country: 'AT' | 'CH' | 'DE' | 'ES' | 'FR' | 'GB' | 'IE' | 'IT' | 'US';
  readonly language: 'de' | 'en' | 'es' | 'fr' | 'it';
  readonly timeZone: string;
  /**
   * A number of the city's area code; each x is any digit. Where a country keeps numbers for films and examples,
   * they are those.
   */
  readonly phone: string;
  readonly quarters: readonly DemoQuarter[];
}

export interface DemoQuarter {
  /** Each ? is a letter or digit of an Irish postal code, which belong to one address each. */
  readonly zip: string;
  readonly lat: number;
  readonly lng: number;
  readonly streets: readonly string[];
}

/** A quarter as one line of a table. */
export const quarter = (zip: string, lat: number, lng: number, ...streets: string[]): DemoQuarter => ({
  zip,
  lat,
  lng,
  streets,
});
