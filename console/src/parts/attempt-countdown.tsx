import { t } from '../texts/t.ts';
import { Countdown } from './countdown.tsx';

/** "Next attempt in 20 s". */
export function AttemptCountdown({ at }: { at: string }) {
  return (
    <Countdown
      key={at}
      until={at}
      text={(time) => (time === '0 ms' ? t('parts.attempt.due') : t('parts.attempt.next', { time }))}
    />
  );
}
