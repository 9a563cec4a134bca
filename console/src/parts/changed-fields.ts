/** Changed fields only, so that concurrent changes of other fields are kept. */
export const changedFields = <Values extends object>(before: Values, values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]),
    ),
  ) as Partial<Values>;
