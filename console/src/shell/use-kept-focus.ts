import { useEffect } from 'react';

/** Dialogs give the focus back by themselves, a moment after they have closed. */
const patienceMs = 60;

/**
 * What has the focus may vanish, as a row that was deleted or a bar that has done its work, or be switched off for a
 * while, as a button that is busy. The browser then forgets where one was, and the next Tab begins at the top. Here the
 * button has the focus again once it can be used, and in place of what is gone the page has it.
 */
export function useKeptFocus(id: string): void {
  useEffect(() => {
    let last: Element | null = null;
    let timer: number | undefined;
    const isNowhere = () => (document.activeElement ?? document.body) === document.body;
    const isThere = () => last?.isConnected === true;
    const isOff = () => isThere() && last?.matches(':disabled') === true;
    const remember = ({ target }: FocusEvent) => {
      last = target as Element;
    };
    // Whoever clicks beside everything, or leaves a field by Escape, wants the focus nowhere.
    const forget = () =>
      setTimeout(() => {
        if (isNowhere() && isThere() && !isOff()) last = null;
      });
    const giveBack = () => {
      if (!last || !isNowhere() || isOff()) return;
      const place = isThere() ? last : document.getElementById(id);
      (place as HTMLElement | null)?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (!last || !isNowhere()) return;
      clearTimeout(timer);
      timer = window.setTimeout(giveBack, patienceMs);
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', forget);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', forget);
      observer.disconnect();
    };
  }, [id]);
}
