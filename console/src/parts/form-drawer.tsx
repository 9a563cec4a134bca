import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useContext,
  useLayoutEffect,
  useState,
} from 'react';
import { useEscape } from './dialog.tsx';
import { LeaveQuestion, useLeaveBlocker } from './leave-guard.tsx';

/** Receives a close function, and a guard for other actions. Both ask before discarding changes. */
type Content = (close: () => void, guard: (action: () => void) => void) => ReactNode;

interface FormDrawerProps extends Omit<DrawerProps, 'children'> {
  /** Search parameter that opens the drawer. */
  param?: string;
  children: Content;
}

interface FormModalProps extends Omit<ModalProps, 'children'> {
  children: Content;
}

/** Changes the number of forms with unsaved changes. */
const DirtyContext = createContext<Dispatch<SetStateAction<number>>>(() => {});

/** Reports unsaved changes to the FormDrawer or FormModal. */
export function useDirty(isDirty: boolean): void {
  const setDirty = useContext(DirtyContext);
  // Before the next event, so a key pressed right after a change asks as well.
  useLayoutEffect(() => {
    if (!isDirty) return;
    setDirty((count) => count + 1);
    return () => setDirty((count) => count - 1);
  }, [setDirty, isDirty]);
}

/** Asks before Escape, an outside click or Back discards changes. */
export function FormDrawer({ param, children, closeOnEscape = true, ...drawer }: FormDrawerProps) {
  const { close, guard, withQuestion } = useFormGuard(drawer, closeOnEscape, param);
  return withQuestion(
    <Drawer {...drawer} onClose={close} closeOnEscape={false}>
      {children(close, guard)}
    </Drawer>,
  );
}

/** For short forms; as FormDrawer. */
export function FormModal({ children, ...modal }: FormModalProps) {
  const { close, guard, withQuestion } = useFormGuard(modal, true);
  return withQuestion(
    <Modal {...modal} onClose={close} closeOnEscape={false}>
      {children(close, guard)}
    </Modal>,
  );
}

function useFormGuard(
  { opened, onClose }: Pick<ModalProps, 'opened' | 'onClose'>,
  closeOnEscape: boolean,
  param?: string,
) {
  const [dirtyForms, setDirty] = useState(0);
  const isDirty = dirtyForms > 0;
  const [guarded, setGuarded] = useState<() => void>();
  const blocker = useLeaveBlocker(isDirty, param);
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
  const close = () => guard(onClose);
  useEscape(opened, closeOnEscape ? close : undefined);
  const isAsking = guarded !== undefined || blocker.status === 'blocked';
  const withQuestion = (form: ReactNode) => (
    <DirtyContext value={setDirty}>
      {form}
      <LeaveQuestion isOpen={isAsking} onStay={stay} onLeave={leave} />
    </DirtyContext>
  );
  return { close, guard, withQuestion };
}
