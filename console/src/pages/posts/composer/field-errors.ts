import type { ReactNode } from 'react';

/** What is wrong with a field or with one of its entries, such as directories.0, in one text. */
export function errorsWithin(errors: Record<string, ReactNode>, field: string): ReactNode {
  const found = Object.entries(errors)
    .filter(([name]) => name === field || name.startsWith(`${field}.`))
    .map(([, message]) => message);
  return found.length > 0 ? found.join(' ') : undefined;
}
