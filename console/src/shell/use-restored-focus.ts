import { useEffect } from 'react';

/** Dialogs return the focus shortly after closing. */
const patienceMs = 60;

/** Restores the focus when the focused element is removed or temporarily disabled, so Tab does not start at the top. */
export function useRestoredFocus(id: string): void {
  useEffect(() => {
    let last: Element | null = null;
    let timer: number | undefined;
    const isNowhere = () => (document.activeElement ?? document.body) === document.body;
    const isThere = () => last?.isConnected === true;
    const isOff = () => isThere() && last?.matches(':disabled') === true;
    const remember = ({ target }: FocusEvent) => {
      last = target as Element;
    };
    // Clicking outside or pressing Escape removes the focus on purpose.
    const forget = () =>
      setTimeout(() => {
        if (isNowhere() && isThere() && !isOff()) last = null;
      });
    const giveBack = () => {
      if (!last || !isNowhere() || isOff()) return;
      // Not behind an open dialog: its focus trap would be left.
      const openDialog = [...document.querySelectorAll('[role="dialog"]')].at(-1);
      const place = isThere() ? last : (openDialog ?? document.getElementById(id));
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
