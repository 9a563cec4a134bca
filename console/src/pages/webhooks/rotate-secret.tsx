import { Alert, Text } from '@mantine/core';
import { useState } from 'react';
import { useApiWrite } from '../../api/use-api.ts';
import { Countdown } from '../../parts/countdown.tsx';
import { type Rotated, RotationDialog } from '../../parts/rotation-dialog.tsx';
import { t } from '../../texts/t.ts';
import { type Webhook, webhookReads } from './webhook-values.ts';
import { webhooks } from './webhooks-texts.ts';

interface Props {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

const { overlaps } = webhooks.rotate;

export function RotateSecret({ webhook: { id, previousSecretSignsUntil: running }, isOpen, onClose }: Props) {
  const [rotated, setRotated] = useState<Rotated>();
  const rotate = useApiWrite('POST /api/sales-partners/webhooks/{id}/rotate-secret', {
    changes: webhookReads,
    onSuccess: ({ secret, previousSecretSignsUntil }) =>
      setRotated({ value: secret, previousUntil: previousSecretSignsUntil }),
  });
  return (
    <RotationDialog
      isOpen={isOpen}
      onClose={() => {
        setRotated(undefined);
        rotate.reset();
        onClose();
      }}
      texts={{
        title: t('webhooks.rotate.title'),
        overlap: t('webhooks.rotate.overlap'),
        now: t('webhooks.rotate.now'),
        submit: t('webhooks.rotate.submit'),
        done: t('webhooks.rotate.done'),
        newValue: t('webhooks.rotate.secret'),
        atOnce: t('webhooks.rotate.atOnce'),
        until: (time) => t('webhooks.rotate.until', { time }),
        stored: t('webhooks.rotate.stored'),
      }}
      lead={
        running ? (
          <Alert color="orange">
            <Countdown until={running} text={(time) => t('webhooks.rotate.underWay', { time })} />
          </Alert>
        ) : (
          <Text size="sm">{t('webhooks.rotate.text')}</Text>
        )
      }
      overlaps={running ? { '0': overlaps['0'] } : overlaps}
      onRotate={(overlapHours) => rotate.mutate({ path: { id }, body: { overlapHours } })}
      isBusy={rotate.isPending}
      problem={rotate.error?.message}
      rotated={rotated}
    />
  );
}
