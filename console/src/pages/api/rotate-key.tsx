import { Text } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { type Rotated, RotationDialog } from '../../parts/rotation-dialog.tsx';
import { t } from '../../texts/t.ts';
import { api } from './api-texts.ts';

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

export function RotateKey({ isOpen, onClose }: Props) {
  const { partner } = useSession();
  const [rotated, setRotated] = useState<Rotated>();
  const rotate = useApiWrite('POST /api/sales-partners/{id}/rotate-private-key', {
    changes: ['GET /api/sales-partners/{id}/private-keys', 'GET /api/audit-trail'],
    onSuccess: ({ privateKey, previousKeyValidUntil }) =>
      setRotated({ value: privateKey, previousUntil: previousKeyValidUntil }),
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
        title: t('api.rotateTitle'),
        overlap: t('api.overlap'),
        now: t('api.rotateNow'),
        submit: t('api.rotate'),
        done: t('api.rotated'),
        newValue: t('api.newKey'),
        atOnce: t('api.rotatedAtOnce'),
        until: (time) => t('api.rotatedText', { time }),
        stored: t('api.done'),
      }}
      lead={<Text size="sm">{t('api.rotateText')}</Text>}
      overlaps={api.overlaps}
      onRotate={(overlapHours) => rotate.mutate({ path: { id: partner.id }, body: { overlapHours } })}
      isBusy={rotate.isPending}
      problem={rotate.error?.message}
      rotated={rotated}
    />
  );
}
