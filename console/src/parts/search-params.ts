type Reader<T> = (given: unknown) => T | undefined;

/**
 * What a page keeps in its address, checked: what somebody mistyped there counts as not given. Everything is
 * optional, so that a link to the page need say nothing. For `validateSearch` of a route.
 */
export const searchParams =
  <Shape extends object>(readers: { [Name in keyof Shape]: Reader<Shape[Name]> }) =>
  (given: Record<string, unknown>): Partial<Shape> => {
    const read: Partial<Shape> = {};
    for (const name of Object.keys(readers) as (keyof Shape & string)[]) {
      // Said in so many words where it is not given: the router puts this over what stands in the address.
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
  typeof given === 'string' && /^\d{4}-\d\d-\d\d$/.test(given) ? given : undefined;

export const oneOf =
  <const Value extends string>(values: readonly Value[]): Reader<Value> =>
  (given) =>
    values.find((value) => value === given);

/** Several of these values; none of them counts as not given. */
export const manyOf =
  <const Value extends string>(values: readonly Value[]): Reader<Value[]> =>
  (given) => {
    const chosen = values.filter((value) => [given].flat().includes(value));
    return chosen.length > 0 ? chosen : undefined;
  };

/** Any texts, such as cities. */
export const texts: Reader<string[]> = (given) => {
  const values = [given].flat().flatMap((value) => text(value) ?? []);
  return values.length > 0 ? values : undefined;
};

/** Whole numbers, such as ids. */
export const wholeNumbers: Reader<number[]> = (given) => {
  const values = [given].flat().flatMap((value) => wholeNumber(value) ?? []);
  return values.length > 0 ? values : undefined;
};
