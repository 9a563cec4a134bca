import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { t } from '../texts/t.ts';
import { absoluteTime, relativeTime } from './time-text.ts';

interface Props {
  /** ISO time; undefined shows "Never". */
  at: string | undefined | null;
}

/** "3 minutes ago", updated over time, also within an alert without being read again. The tooltip has the exact time. */
export function TimeAgo({ at }: Props) {
  useBeat();
  if (!at) return <span>{t('parts.time.never')}</span>;
  const moment = new Date(at);
  return (
    <Tooltip label={absoluteTime(moment)}>
      <time dateTime={at} aria-live="off">
        {relativeTime(moment, Date.now())}
      </time>
    </Tooltip>
  );
}

const beatMs = 15_000;
let beats = 0;
const listeners = new Set<() => void>();
let beat: ReturnType<typeof setInterval> | undefined;

/** One shared timer for all instances. */
const useBeat = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      beat ??= setInterval(() => {
        beats += 1;
        for (const tell of listeners) tell();
      }, beatMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(beat);
        beat = undefined;
      };
    },
    () => beats,
  );
