import { Fieldset, Stack, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { t } from '../../texts/t.ts';
import type { Values } from './webhook-form-values.ts';

interface Props {
  form: UseFormReturnType<Values>;
  /** A certificate is saved. It is kept unless a new one is entered. */
  isSaved: boolean;
}

/** A new client certificate and its private key. */
export function CertificateField({ form, isSaved }: Props) {
  return (
    <Fieldset legend={t('webhooks.certificate.legend')}>
      <Stack gap="sm">
        {isSaved && <Text size="sm">{t('webhooks.certificate.kept')}</Text>}
        <Textarea
          label={t('webhooks.certificate.certificate')}
          description={t('webhooks.certificate.certificateHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={32_768}
          {...form.getInputProps('clientCertificate.certificate')}
          error={form.errors['clientCertificate.certificate'] ?? form.errors.clientCertificate}
        />
        <Textarea
          label={t('webhooks.certificate.privateKey')}
          description={t('webhooks.certificate.privateKeyHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={16_384}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('clientCertificate.privateKey')}
        />
      </Stack>
    </Fieldset>
  );
}
