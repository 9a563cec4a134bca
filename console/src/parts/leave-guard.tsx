import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { t } from '../texts/t.ts';
import { Dialog } from './dialog.tsx';

interface GuardProps {
  isDirty: boolean;
  /** See useLeaveBlocker. */
  param?: string;
  /** What is lost. Default: unsaved changes. */
  text?: string;
}

/** Asks before leaving a page with unsaved changes, also when the tab is closed. */
export function LeaveGuard({ isDirty, param, text }: GuardProps) {
  const blocker = useLeaveBlocker(isDirty, param);
  return (
    <LeaveQuestion
      isOpen={blocker.status === 'blocked'}
      text={text}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

/** One entry per form with unsaved changes. */
const dirtyForms = new Set<object>();

/** `param`: search parameter of a drawer. Only Back and Forward ask when it changes: the drawer asks before it closes. */
export function useLeaveBlocker(isDirty: boolean, param?: string) {
  useLayoutEffect(() => {
    if (!isDirty) return;
    const form = {};
    dirtyForms.add(form);
    return () => void dirtyForms.delete(form);
  }, [isDirty]);
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

/** For actions that discard the unsaved changes of all forms: signing out. Returns `ask` and the question. */
export function useLeaveQuestion(zIndex?: number): [ask: (action: () => void) => void, question: ReactNode] {
  const [asked, setAsked] = useState<() => void>();
  const ask = (action: () => void) => (dirtyForms.size > 0 ? setAsked(() => action) : action());
  const leave = () => {
    setAsked(undefined);
    asked?.();
  };
  const isOpen = asked !== undefined;
  return [
    ask,
    <LeaveQuestion key="leave" {...{ isOpen, zIndex }} onStay={() => setAsked(undefined)} onLeave={leave} />,
  ];
}

interface QuestionProps {
  isOpen: boolean;
  text?: string | undefined;
  zIndex?: number | undefined;
  onStay: () => void;
  onLeave: () => void;
}

export function LeaveQuestion({ isOpen, text = t('parts.leave.text'), zIndex, onStay, onLeave }: QuestionProps) {
  return (
    <Dialog opened={isOpen} onClose={onStay} title={t('parts.leave.title')} {...(zIndex && { zIndex })}>
      <Stack>
        <Text size="sm">{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onStay} data-autofocus>
            {t('parts.leave.stay')}
          </Button>
          <Button color="red.9" onClick={onLeave}>
            {t('parts.leave.leave')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
