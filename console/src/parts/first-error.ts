import { flushSync } from 'react-dom';

/**
 * Says what is wrong with a form, and goes there: it may be longer than the screen, and the first field that something
 * is wrong with comes into sight, ready to be mended. Where no field is to blame, what is said of the form as a whole
 * has the focus.
 */
export function showFirstError(form: HTMLElement | null, say: () => void = () => {}): void {
  // What is said must be on the page before one can go there.
  flushSync(say);
  const wrong = form?.querySelector('.mantine-InputWrapper-error');
  const field = wrong
    ?.closest('.mantine-InputWrapper-root, .mantine-CheckboxGroup-root')
    ?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea');
  const said = form?.querySelector<HTMLElement>('[role="alert"]');
  (wrong ?? said)?.scrollIntoView({ block: 'center' });
  if (!field) said?.setAttribute('tabindex', '-1');
  (field ?? said)?.focus({ preventScroll: true });
}
