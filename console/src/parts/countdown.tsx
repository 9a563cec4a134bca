import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { absoluteTime, durationText } from './time-text.ts';

interface Props {
  until: string;
  /** Formats the remaining time. */
  text?: (left: string) => string;
  onEnd?: () => void;
}

export function Countdown({ until, text = String, onEnd }: Props) {
  const end = new Date(until);
  const [left, setLeft] = useState(() => end.getTime() - Date.now());
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setLeft(new Date(until).getTime() - Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until, isOver]);
  useEffect(() => {
    if (isOver) onEnd?.();
  }, [isOver, onEnd]);
  return (
    <Tooltip label={absoluteTime(end)}>
      <time dateTime={until}>{text(durationText(Math.max(0, Math.floor(left / 1000) * 1000)))}</time>
    </Tooltip>
  );
}
