import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../texts/t.ts';
import { FormProblem } from './form-problems.tsx';
import { SecretOnce } from './secret-once.tsx';
import { absoluteTime } from './time-text.ts';

/** The new value; the old one stays valid until `previousUntil`. */
export interface Rotated {
  value: string;
  previousUntil: string;
}

interface Props {
  isOpen: boolean;
  onClose: () => void;
  texts: {
    title: string;
    overlap: string;
    /** Warning for no overlap. */
    now: string;
    submit: string;
    done: string;
    newValue: string;
    atOnce: string;
    until: (time: string) => string;
    stored: string;
  };
  lead: ReactNode;
  /** Options by hours; one day is the default if offered. */
  overlaps: Readonly<Record<string, string>>;
  onRotate: (overlapHours: number) => void;
  isBusy: boolean;
  problem: string | undefined;
  /** Set after the rotation. Shown once; closing the dialog discards it. */
  rotated: Rotated | undefined;
}

export function RotationDialog(props: Props) {
  const { isOpen, onClose, texts, rotated } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={rotated ? texts.done : texts.title}
      closeOnClickOutside={!rotated}
      closeOnEscape={!rotated}
      withCloseButton={!rotated}
    >
      <Rotation {...props} />
    </Modal>
  );
}

function Rotation({ onClose, texts, lead, overlaps, onRotate, isBusy, problem, rotated }: Props) {
  const [hours, setHours] = useState('24' in overlaps ? '24' : '0');
  const isAtOnce = hours === '0';
  if (rotated) {
    const time = absoluteTime(new Date(rotated.previousUntil));
    return (
      <Stack>
        <SecretOnce label={texts.newValue} value={rotated.value} />
        <Text size="sm">{isAtOnce ? texts.atOnce : texts.until(time)}</Text>
        <Button onClick={onClose} data-autofocus>
          {texts.stored}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      {lead}
      <Select
        label={texts.overlap}
        data={Object.entries(overlaps).map(([value, label]) => ({ value, label }))}
        value={hours}
        onChange={(value) => value && setHours(value)}
        description={isAtOnce ? texts.now : undefined}
      />
      <FormProblem message={problem} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('parts.confirm.cancel')}
        </Button>
        <Button color={isAtOnce ? 'red.9' : undefined} loading={isBusy} onClick={() => onRotate(Number(hours))}>
          {texts.submit}
        </Button>
      </Group>
    </Stack>
  );
}
