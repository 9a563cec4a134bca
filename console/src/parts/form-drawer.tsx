import { Drawer, type DrawerProps } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { LeaveQuestion, useLeaveBlocker } from './leave-guard.tsx';

interface FormDrawerProps extends Omit<DrawerProps, 'children'> {
  /** Receives a close function that asks before discarding changes. */
  children: (close: () => void) => ReactNode;
}

const DirtyContext = createContext<(isDirty: boolean) => void>(() => {});

/** Reports unsaved changes to the FormDrawer. */
export function useDirty(isDirty: boolean): void {
  const tell = useContext(DirtyContext);
  useEffect(() => {
    tell(isDirty);
    return () => tell(false);
  }, [tell, isDirty]);
}

/** Asks before Escape or an outside click discards changes. */
export function FormDrawer({ onClose, children, ...drawer }: FormDrawerProps) {
  const [isDirty, setDirty] = useState(false);
  const [isClosing, setClosing] = useState(false);
  const blocker = useLeaveBlocker(isDirty);
  const isAsking = isClosing || blocker.status === 'blocked';
  const stay = () => {
    setClosing(false);
    blocker.reset?.();
  };
  const leave = () => {
    setClosing(false);
    if (blocker.proceed) blocker.proceed();
    else onClose();
  };
  const close = () => {
    if (isAsking) stay();
    else if (isDirty) setClosing(true);
    else onClose();
  };
  return (
    <DirtyContext value={setDirty}>
      <Drawer {...drawer} onClose={close} keepMounted={false}>
        {children(close)}
      </Drawer>
      {/* The drawer handles Escape; otherwise one key press would close both. */}
      <LeaveQuestion isOpen={isAsking} closeOnEscape={false} onStay={stay} onLeave={leave} />
    </DirtyContext>
  );
}
