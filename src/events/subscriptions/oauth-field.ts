import Type, { type Static } from 'typebox';
import { invalidField, missingField } from '../../problems.ts';
import { authMethods, type OAuthClient } from '../signing/oauth-client.ts';
import { isQueueUrl } from '../transport/queues/queue-url.ts';

/** The client secret is stored encrypted and never returned. */
export const OAuthField = Type.Object(
  {
    tokenUrl: Type.String({ maxLength: 2048 }),
    clientId: Type.String({ minLength: 1, maxLength: 500 }),
    clientSecret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        writeOnly: true,
        description: 'Required for a new token URL or a push URL of another origin. Else the saved secret is kept',
      }),
    ),
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    audience: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    authMethod: Type.Optional(Type.Enum([...authMethods], { description: 'Default: client_secret_basic' })),
  },
  {
    description:
      'Deliveries have an access token of this client (OAuth 2.0 client credentials) as Authorization header',
  },
);

type OAuthInput = Static<typeof OAuthField>;

/** Without the client secret. */
export const clientOf = ({
  clientSecret: _,
  authMethod = 'client_secret_basic',
  ...client
}: OAuthInput): OAuthClient => ({
  ...client,
  authMethod,
});

/** The given secret, or undefined to keep the saved one, which is sent to its token URL only. */
export function newClientSecret(saved: OAuthClient | null, { tokenUrl, clientSecret }: OAuthInput): string | undefined {
  if (clientSecret === undefined && saved?.tokenUrl !== tokenUrl) {
    const message = 'oauth.clientSecret is required: it is not sent to a new token URL without entering it again.';
    throw missingField('oauth.clientSecret', saved ? message : 'oauth.clientSecret is required.');
  }
  return clientSecret;
}

/** For a push URL of another origin, which gets the tokens of the client. */
export function requireClientSecret(change: OAuthInput | undefined): void {
  if (change?.clientSecret !== undefined) return;
  const message =
    'oauth.clientSecret is required: tokens of the saved client are not sent to another origin without entering it again. Send oauth with clientSecret, or remove oauth with null.';
  throw missingField('oauth.clientSecret', message);
}

export function checkAuthorization(oauth: OAuthClient | null, headerNames: readonly string[], pushUrl: string): void {
  if (oauth && isQueueUrl(pushUrl)) {
    const message = 'oauth cannot be used with a queue. Remove oauth, and set user name and password in pushUrl.';
    throw invalidField('oauth', 'queue', message);
  }
  if (!oauth || !headerNames.includes('authorization')) return;
  const message = 'oauth sets the header Authorization. Remove Authorization from headers, or oauth.';
  throw invalidField('oauth', 'exclusive', message);
}
