import type { Sealer } from './sealer.ts';

/** Custom headers of a webhook, with names in lower case. */
export type CustomHeaders = Readonly<Record<string, string>>;

/** As stored. The names are not secret. */
export interface SealedHeaders {
  headers: Buffer | null;
  headerNames: string[];
}

export function sealHeaders(sealer: Sealer, headers: CustomHeaders): SealedHeaders {
  const headerNames = Object.keys(headers);
  return { headers: headerNames.length > 0 ? sealer.seal(JSON.stringify(headers)) : null, headerNames };
}

export const openHeaders = (sealer: Sealer, sealed: Buffer | null | undefined): CustomHeaders =>
  sealed ? JSON.parse(sealer.open(sealed)) : {};

export const maskedHeaders = (headers: CustomHeaders): CustomHeaders =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, '••••••']));
