/** Aliases of paths, which the documents omit. */
const secondNames: Readonly<Record<string, string>> = {
  '/api/dashboard/customer-feedback-by-period': '/api/dashboard/customer-feedback/by-period',
  '/api/dashboard/customer-feedback/keywords': '/api/dashboard/customer-feedback-keywords',
};

/**
 * The path in the documents: canonical, but without the hyphen where tools consider two paths ambiguous
 * (`/api/data-points/filters/{id}` and `/api/data-points/{id}/flag`).
 */
export const documentedPath = (path: string): string =>
  (secondNames[path] ?? path)
    .replace(/:(\w+)/g, '{$1}')
    .replace('/api/data-points/filters/{', '/api/datapoints/filters/{')
    .replace('/api/sales-partners/{id}/', '/api/salespartners/{id}/');

export const isSecondName = (path: string): boolean => path in secondNames;
