import { Fieldset, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { PasswordField } from '../../parts/password-field.tsx';
import { t } from '../../texts/t.ts';
import { authMethods } from './oauth-values.ts';
import type { Values } from './webhook-form-values.ts';

interface Props {
  form: UseFormReturnType<Values>;
  /** The client secret is saved. It is not known here, and kept unless a new one is entered. */
  isSaved: boolean;
}

/** The OAuth 2.0 client whose access tokens are sent. */
export function OAuthField({ form, isSaved }: Props) {
  return (
    <Fieldset legend={t('webhooks.oauth.legend')}>
      <Stack gap="sm">
        <TextInput
          label={t('webhooks.oauth.tokenUrl')}
          type="url"
          placeholder="https://auth.example.com/oauth/token"
          maxLength={2048}
          {...form.getInputProps('oauth.tokenUrl')}
          error={form.errors['oauth.tokenUrl'] ?? form.errors.oauth}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('webhooks.oauth.clientId')}
            maxLength={500}
            autoComplete="off"
            {...form.getInputProps('oauth.clientId')}
          />
          <PasswordField
            label={t('webhooks.oauth.clientSecret')}
            placeholder={isSaved ? t('webhooks.form.headerKept') : undefined}
            maxLength={2000}
            autoComplete="new-password"
            spellCheck={false}
            {...form.getInputProps('oauth.clientSecret')}
          />
          <TextInput
            label={t('webhooks.oauth.scope')}
            description={t('webhooks.oauth.optional')}
            maxLength={1000}
            {...form.getInputProps('oauth.scope')}
          />
          <TextInput
            label={t('webhooks.oauth.audience')}
            description={t('webhooks.oauth.optional')}
            maxLength={1000}
            {...form.getInputProps('oauth.audience')}
          />
        </SimpleGrid>
        <Select
          label={t('webhooks.oauth.authMethod')}
          data={authMethods.map((value) => ({ value, label: t(`webhooks.oauth.authMethods.${value}`) }))}
          {...form.getInputProps('oauth.authMethod')}
        />
      </Stack>
    </Fieldset>
  );
}
