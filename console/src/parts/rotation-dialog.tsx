import { Button, Select, Stack, Text } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';
import { Dialog } from './dialog.tsx';
import { FormButtons } from './form-buttons.tsx';
import { FormProblem } from './form-problems.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { SecretOnce } from './secret-once.tsx';
import { absoluteTime } from './time-text.ts';

/** The new value; the old one stays valid until `previousUntil`. */
interface Rotated {
  value: string;
  previousUntil: string;
}

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** Path of the texts. */
  texts: 'api.rotation' | 'webhooks.rotate';
  lead: ReactNode;
  /** Options by hours; one day is the default if offered. */
  overlaps: Readonly<Record<string, string>>;
  onRotate: (overlapHours: number) => Promise<Rotated>;
}

/** Shows the new value once; closing the dialog discards it. */
export function RotationDialog({ onRotate, ...props }: Props) {
  const rotation = useMutation<Rotated, ApiProblem, number>({ mutationFn: onRotate });
  const isDone = rotation.isSuccess;
  // Closing the dialog before the response would discard the new value unseen.
  const canClose = !isDone && !rotation.isPending;
  const onClose = () => {
    rotation.reset();
    props.onClose();
  };
  return (
    <>
      <Dialog
        opened={props.isOpen}
        onClose={onClose}
        title={t(isDone ? `${props.texts}.done` : `${props.texts}.title`)}
        closeOnClickOutside={canClose}
        closeOnEscape={canClose}
        withCloseButton={canClose}
      >
        <Rotation {...props} onClose={onClose} rotation={rotation} />
      </Dialog>
      <LeaveGuard isDirty={!canClose} text={t('parts.secret.leave')} />
    </>
  );
}

interface RotationProps extends Omit<Props, 'isOpen' | 'onRotate'> {
  rotation: UseMutationResult<Rotated, ApiProblem, number>;
}

function Rotation({ onClose, texts, lead, overlaps, rotation }: RotationProps) {
  const [hours, setHours] = useState('24' in overlaps ? '24' : '0');
  const isAtOnce = hours === '0';
  if (rotation.data) {
    const time = absoluteTime(new Date(rotation.data.previousUntil));
    return (
      <Stack>
        <SecretOnce label={t(`${texts}.newValue`)} value={rotation.data.value} />
        <Text size="sm">{isAtOnce ? t(`${texts}.atOnce`) : t(`${texts}.until`, { time })}</Text>
        <Button onClick={onClose} data-autofocus>
          {t(`${texts}.stored`)}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      {lead}
      <Select
        label={t(`${texts}.overlap`)}
        data={Object.entries(overlaps).map(([value, label]) => ({ value, label }))}
        value={hours}
        onChange={(value) => value && setHours(value)}
        description={isAtOnce ? t(`${texts}.now`) : undefined}
      />
      <FormProblem message={rotation.error?.message} />
      <FormButtons
        onCancel={rotation.isPending ? undefined : onClose}
        color={isAtOnce ? 'red.9' : undefined}
        loading={rotation.isPending}
        onClick={() => rotation.mutate(Number(hours))}
      >
        {t(`${texts}.submit`)}
      </FormButtons>
    </Stack>
  );
}
