import { Modal, type ModalProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useLayoutEffect, useState } from 'react';

/** Open dialogs and drawers, the last on top. */
const layers: object[] = [];
const handled = new WeakSet<Event>();

/** Escape closes only the dialog or drawer on top; with `closeOnEscape`, Mantine closes all open ones. */
export function useEscape(isOpen: boolean, onEscape: (() => void) | undefined): void {
  const [layer] = useState({});
  useLayoutEffect(() => {
    if (!isOpen) return;
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, [isOpen, layer]);
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || handled.has(event) || layers.at(-1) !== layer) return;
      // Set on inputs with an open list, which Escape closes first.
      if ((event.target as Element | null)?.getAttribute?.('data-mantine-stop-propagation') === 'true') return;
      handled.add(event);
      onEscape?.();
    },
    { capture: true },
  );
}

/** A modal that can open above a drawer or another dialog. */
export function Dialog({ closeOnEscape = true, ...modal }: ModalProps) {
  useEscape(modal.opened, closeOnEscape ? modal.onClose : undefined);
  return <Modal {...modal} closeOnEscape={false} />;
}
