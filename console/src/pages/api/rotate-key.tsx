import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { api } from '../../texts/en/api.ts';
import { t } from '../../texts/t.ts';

type Rotated = ResponseOf<'POST /api/sales-partners/{id}/rotate-private-key'> & { atOnce: boolean };

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

/** The new key is shown here once; closing the dialog forgets it. */
export function RotateKey({ isOpen, onClose }: Props) {
  const [rotated, setRotated] = useState<Rotated>();
  const close = () => {
    setRotated(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t(rotated ? 'api.rotated' : 'api.rotateTitle')}
      closeOnClickOutside={!rotated}
      closeOnEscape={!rotated}
      withCloseButton={!rotated}
    >
      {rotated ? <NewKey rotated={rotated} onDone={close} /> : <Question onClose={close} onRotated={setRotated} />}
    </Modal>
  );
}

function Question({ onClose, onRotated }: { onClose: () => void; onRotated: (rotated: Rotated) => void }) {
  const { partner } = useSession();
  const [hours, setHours] = useState('24');
  const rotate = useApiWrite('POST /api/sales-partners/{id}/rotate-private-key', {
    changes: ['GET /api/sales-partners/{id}/private-keys', 'GET /api/audit-trail'],
    onSuccess: (response) => onRotated({ ...response, atOnce: hours === '0' }),
  });
  return (
    <Stack>
      <Text size="sm">{t('api.rotateText')}</Text>
      <Select
        label={t('api.overlap')}
        data={Object.entries(api.overlaps).map(([value, label]) => ({ value, label }))}
        value={hours}
        onChange={(value) => setHours(value ?? '24')}
        description={hours === '0' ? t('api.rotateNow') : undefined}
      />
      <FormProblem message={rotate.error?.message} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('parts.confirm.cancel')}
        </Button>
        <Button
          color={hours === '0' ? 'red' : undefined}
          loading={rotate.isPending}
          onClick={() => rotate.mutate({ path: { id: partner.id }, body: { overlapHours: Number(hours) } })}
        >
          {t('api.rotate')}
        </Button>
      </Group>
    </Stack>
  );
}

function NewKey({ rotated, onDone }: { rotated: Rotated; onDone: () => void }) {
  const until = absoluteTime(new Date(rotated.previousKeyValidUntil));
  return (
    <Stack>
      <SecretOnce label={t('api.newKey')} value={rotated.privateKey} />
      <Text size="sm">{rotated.atOnce ? t('api.rotatedAtOnce') : t('api.rotatedText', { time: until })}</Text>
      <Button onClick={onDone} data-autofocus>
        {t('api.done')}
      </Button>
    </Stack>
  );
}
