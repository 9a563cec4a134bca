import { Drawer, type DrawerProps } from '@mantine/core';
import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react';
import { LeaveQuestion, useLeaveBlocker } from './leave-guard.tsx';

interface FormDrawerProps extends Omit<DrawerProps, 'children'> {
  /** Search parameter that opens the drawer. */
  param?: string;
  /** Receives a close function, and a guard for other actions. Both ask before discarding changes. */
  children: (close: () => void, guard: (action: () => void) => void) => ReactNode;
}

const DirtyContext = createContext<(isDirty: boolean) => void>(() => {});

/** Reports unsaved changes to the FormDrawer. */
export function useDirty(isDirty: boolean): void {
  const tell = useContext(DirtyContext);
  // Before the next event, so a key pressed right after a change asks as well.
  useLayoutEffect(() => {
    tell(isDirty);
    return () => tell(false);
  }, [tell, isDirty]);
}

/** Asks before Escape, an outside click or Back discards changes. */
export function FormDrawer({ onClose, param, children, ...drawer }: FormDrawerProps) {
  const [isDirty, setDirty] = useState(false);
  const [guarded, setGuarded] = useState<() => void>();
  const blocker = useLeaveBlocker(isDirty, param);
  const isAsking = guarded !== undefined || blocker.status === 'blocked';
  const stay = () => {
    setGuarded(undefined);
    blocker.reset?.();
  };
  const leave = () => {
    setGuarded(undefined);
    if (blocker.proceed) blocker.proceed();
    else guarded?.();
  };
  const guard = (action: () => void) => {
    if (isDirty) setGuarded(() => action);
    else action();
  };
  const close = () => (isAsking ? stay() : guard(onClose));
  return (
    <DirtyContext value={setDirty}>
      <Drawer {...drawer} onClose={close} keepMounted={false}>
        {children(close, guard)}
      </Drawer>
      {/* The drawer handles Escape; otherwise one key press would close both. */}
      <LeaveQuestion isOpen={isAsking} closeOnEscape={false} onStay={stay} onLeave={leave} />
    </DirtyContext>
  );
}
