import { Drawer, type DrawerProps } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { LeaveQuestion, useLeaveBlocker } from './leave-guard.tsx';

interface FormDrawerProps extends Omit<DrawerProps, 'children'> {
  /** Given how to close it as Escape does: with a question, if something typed would be lost. */
  children: (close: () => void) => ReactNode;
}

const DirtyContext = createContext<(isDirty: boolean) => void>(() => {});

/** For the form in a FormDrawer: says whether something typed would be lost. */
export function useDirty(isDirty: boolean): void {
  const tell = useContext(DirtyContext);
  useEffect(() => {
    tell(isDirty);
    return () => tell(false);
  }, [tell, isDirty]);
}

/** A drawer with a form. Escape or a click beside it comes easily: it asks before something typed is thrown away. */
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
      {/* The drawer hears Escape: if both did, one answer would be the next question. */}
      <LeaveQuestion isOpen={isAsking} closeOnEscape={false} onStay={stay} onLeave={leave} />
    </DirtyContext>
  );
}
