import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { absoluteTime, durationText } from './time-text.ts';

interface Props {
  until: string;
  /** Formats the remaining time. */
  text: (left: string) => string;
  onEnd?: () => void;
}

/** Screen readers do not read every second, also within an alert. */
export function Countdown({ until, text, onEnd }: Props) {
  const end = new Date(until);
  const [now, setNow] = useState(Date.now);
  const left = end.getTime() - now;
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) return;
    const tick = () => setNow(Date.now());
    // The time of a countdown that was over and has a new end is old.
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [isOver]);
  useEffect(() => {
    if (isOver) onEnd?.();
  }, [isOver, onEnd]);
  return (
    <Tooltip label={absoluteTime(end)}>
      <time dateTime={until} role="timer" aria-live="off">
        {text(durationText(Math.max(0, Math.floor(left / 1000) * 1000)))}
      </time>
    </Tooltip>
  );
}
