import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { t } from '../texts/t.ts';

/** Asks before leaving a page with unsaved changes, also when the tab is closed. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useLeaveBlocker(isDirty);
  return (
    <LeaveQuestion
      isOpen={blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

/** `param`: search parameter of a drawer. Only Back and Forward ask when it changes: the drawer asks before it closes. */
export function useLeaveBlocker(isDirty: boolean, param?: string) {
  return useBlocker({
    shouldBlockFn: ({ action, current, next }) => {
      const isPop = action !== 'PUSH' && action !== 'REPLACE';
      const isClosing = isPop && param !== undefined && paramOf(current.search, param) !== paramOf(next.search, param);
      return isDirty && (isClosing || current.pathname !== next.pathname);
    },
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
}

const paramOf = (search: object, param: string) => (search as Record<string, unknown>)[param];

interface QuestionProps {
  isOpen: boolean;
  /** False if another element handles Escape. */
  closeOnEscape?: boolean;
  onStay: () => void;
  onLeave: () => void;
}

export function LeaveQuestion({ isOpen, closeOnEscape = true, onStay, onLeave }: QuestionProps) {
  return (
    <Modal opened={isOpen} onClose={onStay} closeOnEscape={closeOnEscape} title={t('parts.leave.title')}>
      <Stack>
        <Text size="sm">{t('parts.leave.text')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onStay} data-autofocus>
            {t('parts.leave.stay')}
          </Button>
          <Button color="red.9" onClick={onLeave}>
            {t('parts.leave.leave')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
