import { Button, Group, Stack, Text } from '@mantine/core';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { t } from '../../texts/t.ts';
import { TestWebhook } from './test-webhook.tsx';
import { WebhookForm } from './webhook-form.tsx';
import type { EventTypeName, Webhook } from './webhook-values.ts';

interface Props {
  isOpen: boolean;
  /** Preselected type, for example from the catalogue. */
  type: EventTypeName | undefined;
  onClose: () => void;
}

export function AddWebhook({ isOpen, type, onClose }: Props) {
  const [created, setCreated] = useState<Webhook & { secret: string }>();
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  return (
    <FormDrawer
      opened={isOpen}
      onClose={close}
      title={t(created ? 'webhooks.created.title' : 'webhooks.addTitle')}
      closeOnClickOutside={!created}
      closeOnEscape={!created}
      withCloseButton={!created}
    >
      {(cancel) =>
        created ? (
          <Created webhook={created} onDone={close} />
        ) : (
          <WebhookForm type={type} onCancel={cancel} onSaved={(saved) => 'secret' in saved && setCreated(saved)} />
        )
      }
    </FormDrawer>
  );
}

function Created({ webhook, onDone }: { webhook: Webhook & { secret: string }; onDone: () => void }) {
  const [isTesting, setTesting] = useState(false);
  return (
    <Stack>
      <SecretOnce label={t('webhooks.created.secret')} value={webhook.secret} />
      <Text size="sm">{t('webhooks.created.text')}</Text>
      <Group justify="flex-end">
        <Button variant="light" leftSection={<Send size={16} aria-hidden />} onClick={() => setTesting(true)}>
          {t('webhooks.created.test')}
        </Button>
        <Button onClick={onDone} data-autofocus>
          {t('webhooks.created.done')}
        </Button>
      </Group>
      <TestWebhook webhook={webhook} isOpen={isTesting} onClose={() => setTesting(false)} />
    </Stack>
  );
}
