import type { Sealer } from './sealer.ts';

export const authMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** A client of a token server (OAuth 2.0 client credentials, RFC 6749, section 4.4), without its secret. */
export type OAuthClient = {
  tokenUrl: string;
  clientId: string;
  scope?: string;
  audience?: string;
  authMethod: (typeof authMethods)[number];
};

export interface OAuthCredentials extends OAuthClient {
  clientSecret: string;
}

export const openOAuth = (
  sealer: Sealer,
  client: OAuthClient | null,
  sealedSecret: Buffer | null,
): OAuthCredentials | undefined =>
  client && sealedSecret ? { ...client, clientSecret: sealer.open(sealedSecret) } : undefined;
