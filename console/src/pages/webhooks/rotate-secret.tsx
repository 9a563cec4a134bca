import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { Countdown } from '../../parts/countdown.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { webhooks } from '../../texts/en/webhooks.ts';
import { t } from '../../texts/t.ts';
import { type Webhook, webhookReads } from './webhook-values.ts';

type Rotated = ResponseOf<'POST /api/sales-partners/webhooks/{id}/rotate-secret'> & { atOnce: boolean };

interface Props {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

/** The new secret is shown here once; closing the dialog forgets it. */
export function RotateSecret({ webhook, isOpen, onClose }: Props) {
  const [rotated, setRotated] = useState<Rotated>();
  const close = () => {
    setRotated(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t(rotated ? 'webhooks.rotate.done' : 'webhooks.rotate.title')}
      closeOnClickOutside={!rotated}
      closeOnEscape={!rotated}
      withCloseButton={!rotated}
    >
      {rotated ? (
        <NewSecret rotated={rotated} onDone={close} />
      ) : (
        <Question webhook={webhook} onClose={close} onRotated={setRotated} />
      )}
    </Modal>
  );
}

interface QuestionProps {
  webhook: Webhook;
  onClose: () => void;
  onRotated: (rotated: Rotated) => void;
}

function Question({ webhook: { id, previousSecretSignsUntil: running }, onClose, onRotated }: QuestionProps) {
  const [hours, setHours] = useState(running ? '0' : '24');
  const rotate = useApiWrite('POST /api/sales-partners/webhooks/{id}/rotate-secret', {
    changes: webhookReads,
    onSuccess: (response) => onRotated({ ...response, atOnce: hours === '0' }),
  });
  const overlaps = Object.entries(webhooks.rotate.overlaps).filter(([value]) => !running || value === '0');
  return (
    <Stack>
      {running ? (
        <Alert color="orange">
          <Countdown until={running} text={(time) => t('webhooks.rotate.underWay', { time })} />
        </Alert>
      ) : (
        <Text size="sm">{t('webhooks.rotate.text')}</Text>
      )}
      <Select
        label={t('webhooks.rotate.overlap')}
        data={overlaps.map(([value, label]) => ({ value, label }))}
        value={hours}
        onChange={(value) => setHours(value ?? '24')}
        description={hours === '0' ? t('webhooks.rotate.now') : undefined}
      />
      <FormProblem message={rotate.error?.message} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('parts.confirm.cancel')}
        </Button>
        <Button
          color={hours === '0' ? 'red.9' : undefined}
          loading={rotate.isPending}
          onClick={() => rotate.mutate({ path: { id }, body: { overlapHours: Number(hours) } })}
        >
          {t('webhooks.rotate.submit')}
        </Button>
      </Group>
    </Stack>
  );
}

function NewSecret({ rotated, onDone }: { rotated: Rotated; onDone: () => void }) {
  const time = absoluteTime(new Date(rotated.previousSecretSignsUntil));
  return (
    <Stack>
      <SecretOnce label={t('webhooks.rotate.secret')} value={rotated.secret} />
      <Text size="sm">{rotated.atOnce ? t('webhooks.rotate.atOnce') : t('webhooks.rotate.until', { time })}</Text>
      <Button onClick={onDone} data-autofocus>
        {t('webhooks.rotate.stored')}
      </Button>
    </Stack>
  );
}
