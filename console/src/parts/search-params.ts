export type Reader<T> = (given: unknown) => T | undefined;

/** Search parameters of a page, for `validateSearch`. All are optional; invalid values are ignored. */
export const searchParams =
  <Shape extends object>(readers: { [Name in keyof Shape]: Reader<Shape[Name]> }) =>
  (given: Record<string, unknown>): Partial<Shape> => {
    const read: Partial<Shape> = {};
    for (const name of Object.keys(readers) as (keyof Shape & string)[]) {
      // Set explicitly to undefined: the router merges this over the raw search.
      read[name] = readers[name](given[name]) as Shape[typeof name];
    }
    return read;
  };

export const text: Reader<string> = (given) => {
  const value = typeof given === 'number' ? String(given) : given;
  return typeof value === 'string' && value.trim() ? value : undefined;
};

export const wholeNumber: Reader<number> = (given) => {
  const value = typeof given === 'string' ? Number(given) : given;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
};

export const flag: Reader<boolean> = (given) => (given === true || given === false ? given : undefined);

/** A date such as 2026-11-15. */
export const day: Reader<string> = (given) =>
  typeof given === 'string' && /^\d{4}-\d\d-\d\d$/.test(given) && isDate(given) ? given : undefined;

/** False for 2026-02-30. */
function isDate(given: string): boolean {
  const moment = new Date(`${given}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(given);
}

export const oneOf =
  <const Value extends string>(values: readonly Value[]): Reader<Value> =>
  (given) =>
    values.find((value) => value === given);

export const oneOfNumbers =
  <const Value extends number>(values: readonly Value[]): Reader<Value> =>
  (given) => {
    const number = wholeNumber(given);
    return values.find((value) => value === number);
  };

/** Several of these values; an empty list is omitted. */
export const manyOf =
  <const Value extends string>(values: readonly Value[]): Reader<Value[]> =>
  (given) => {
    const chosen = values.filter((value) => [given].flat().includes(value));
    return chosen.length > 0 ? chosen : undefined;
  };

export const texts: Reader<string[]> = (given) => {
  const values = [given].flat().flatMap((value) => text(value) ?? []);
  return values.length > 0 ? values : undefined;
};

export const wholeNumbers: Reader<number[]> = (given) => {
  const values = [given].flat().flatMap((value) => wholeNumber(value) ?? []);
  return values.length > 0 ? values : undefined;
};
