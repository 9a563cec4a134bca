import { Button, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../api/api-problem.ts';
import { daysAfter, today } from '../../parts/days.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { notifyProblem } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';
import type { ToDo, ToDoKind } from './to-do.ts';
import { useDismissal } from './use-dismissal.ts';

interface Props {
  kind: ToDoKind;
  todo: ToDo;
}

export function DismissMenu({ kind, todo }: Props) {
  const { title } = todo;
  const [isAsking, setAsking] = useState(false);
  const { dismiss, isBusy } = useDismissal(kind, todo);
  const forDays = (days: number) => void dismiss(daysAfter(today(), days)).catch(notifyProblem);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            loading={isBusy}
            aria-label={t('home.todo.dismissOf', { title })}
          >
            {t('home.todo.dismiss')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => forDays(7)}>{t('home.todo.dismissWeek')}</Menu.Item>
          <Menu.Item onClick={() => forDays(30)}>{t('home.todo.dismissMonth')}</Menu.Item>
          <Menu.Item onClick={() => setAsking(true)}>{t('home.todo.dismissUntil')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={t('home.todo.dismissTitle')}>
        <UntilDay title={title} isBusy={isBusy} onDismiss={dismiss} onClose={() => setAsking(false)} />
      </Modal>
    </>
  );
}

interface UntilDayProps {
  title: string;
  isBusy: boolean;
  onDismiss: (until: string) => Promise<void>;
  onClose: () => void;
}

function UntilDay({ title, isBusy, onDismiss, onClose }: UntilDayProps) {
  const [until, setUntil] = useState(daysAfter(today(), 14));
  const [problem, setProblem] = useState<string>();
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    if (until < daysAfter(today(), 1)) return setProblem(t('home.todo.dayOver'));
    try {
      await onDismiss(until);
      onClose();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error.fields[0]?.message ?? error.message);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <Text size="sm">{t('home.todo.dismissText', { title })}</Text>
        <TextInput
          type="date"
          label={t('home.todo.day')}
          value={until}
          min={daysAfter(today(), 1)}
          max={daysAfter(today(), 365)}
          onChange={(event) => setUntil(event.currentTarget.value)}
          error={problem}
          data-autofocus
        />
        <FormButtons onCancel={onClose} loading={isBusy}>
          {t('home.todo.dismiss')}
        </FormButtons>
      </Stack>
    </form>
  );
}
