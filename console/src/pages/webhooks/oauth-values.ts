import { t } from '../../texts/t.ts';
import type { Webhook } from './webhook-values.ts';

type OAuthClient = NonNullable<Webhook['oauth']>;

/** The client secret is empty if the saved one is kept. */
type ClientValues = Required<OAuthClient>;

export interface OAuthValues {
  /** Undefined: the webhooks have different clients, and keep them. */
  usesOauth: boolean | undefined;
  oauth: ClientValues;
}

export const authMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** The client that all webhooks have; empty if there is none or if they differ. */
export function oauthOf(webhooks: readonly Webhook[]): OAuthValues {
  const [first, ...others] = webhooks.map(({ oauth }) => JSON.stringify(oauth ?? null));
  const differs = others.some((other) => other !== first);
  const client = differs ? undefined : webhooks[0]?.oauth;
  const { tokenUrl = '', clientId = '', scope = '', audience = '', authMethod = authMethods[0] } = client ?? {};
  return {
    usesOauth: differs ? undefined : client !== undefined,
    oauth: { tokenUrl, clientId, clientSecret: '', scope, audience, authMethod },
  };
}

/** Undefined if nothing changed, null to remove the client. */
export function oauthChange(before: OAuthValues, { usesOauth, oauth }: OAuthValues): OAuthClient | null | undefined {
  if (usesOauth === undefined || (!usesOauth && before.usesOauth === false)) return undefined;
  if (!usesOauth) return null;
  const client = trimmed(oauth);
  if (before.usesOauth && JSON.stringify(client) === JSON.stringify(trimmed(before.oauth))) return undefined;
  return client;
}

function trimmed({ tokenUrl, clientId, clientSecret, scope, audience, authMethod }: ClientValues): OAuthClient {
  return {
    tokenUrl: tokenUrl.trim(),
    clientId: clientId.trim(),
    authMethod,
    ...(clientSecret && { clientSecret }),
    ...(scope.trim() && { scope: scope.trim() }),
    ...(audience.trim() && { audience: audience.trim() }),
  };
}

/** Validation of the form, by field. */
export const oauthRules = <T extends OAuthValues>(initial: T, changesOrigin: (values: T) => boolean) => {
  const needed = (key: 'tokenUrlNeeded' | 'clientIdNeeded') => (value: string, values: OAuthValues) =>
    values.usesOauth && !value.trim() ? t(`webhooks.oauth.${key}`) : null;
  return {
    tokenUrl: needed('tokenUrlNeeded'),
    clientId: needed('clientIdNeeded'),
    clientSecret: (value: string, values: T) => {
      if (!values.usesOauth || value) return null;
      if (!initial.usesOauth) return t('webhooks.oauth.clientSecretNeeded');
      return changesOrigin(values) ? t('webhooks.oauth.clientSecretForOrigin') : null;
    },
  };
};
