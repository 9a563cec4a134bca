import { flushSync } from 'react-dom';

/** Shows the errors of a form and focuses the first invalid field, or the message of the form. */
export function showFirstError(form: HTMLElement | null, say: () => void = () => {}): void {
  // The errors must be rendered before the focus can move.
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
