import { Fieldset, Stack, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { t } from '../../texts/t.ts';
import type { Values } from './webhook-form-values.ts';

interface Props {
  form: UseFormReturnType<Values>;
  /** A certificate is saved. It is kept unless a new one is entered. */
  isSaved: boolean;
}

const pemText = { autosize: true, minRows: 2, maxRows: 6, autoComplete: 'off', spellCheck: false };

/** A new client certificate and its private key. */
export function CertificateField({ form, isSaved }: Props) {
  return (
    <Fieldset legend={t('webhooks.certificate.legend')}>
      <Stack gap="sm">
        {isSaved && <Text size="sm">{t('webhooks.certificate.kept')}</Text>}
        <Textarea
          {...pemText}
          label={t('webhooks.certificate.certificate')}
          description={t('webhooks.certificate.certificateHint')}
          maxLength={32_768}
          {...form.getInputProps('clientCertificate.certificate')}
          error={form.errors['clientCertificate.certificate'] ?? form.errors.clientCertificate}
        />
        <Textarea
          {...pemText}
          label={t('webhooks.certificate.privateKey')}
          description={t('webhooks.certificate.privateKeyHint')}
          maxLength={16_384}
          {...form.getInputProps('clientCertificate.privateKey')}
        />
      </Stack>
    </Fieldset>
  );
}
