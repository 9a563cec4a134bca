import { Box, Group, Skeleton, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import { t } from '../texts/t.ts';
import classes from './delta.module.css';
import { decimalText, numberText, signedText } from './number-text.ts';

interface Props {
  now: number | null | undefined;
  before: number | null | undefined;
  /** Formats the value; without it, the value is a count and its change a percentage. */
  format?: (value: number) => string;
  /** Formats the change, if it differs from the value: points for percentages. */
  formatChange?: (change: number) => string;
  /** Default: higher is better. 'neither' for neutral values. */
  better?: 'more' | 'less' | 'neither';
  isLoading?: boolean;
  isFocusable?: boolean;
}

export function Delta(props: Props) {
  const { now, before, format, formatChange = format, better = 'more', isLoading = false, isFocusable } = props;
  if (isLoading) return <Skeleton height={20} width={64} />;
  if (now === null || now === undefined || before === null || before === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('dashboard.noBefore')}
      </Text>
    );
  }
  const change = now - before;
  const shown = changeText(change, before, formatChange);
  const isUp = change > 0;
  return (
    <ChangeLine
      text={shown ?? t('dashboard.same')}
      trend={shown === undefined ? 'STABLE' : isUp ? 'UP' : 'DOWN'}
      isImprovement={shown === undefined || better === 'neither' ? null : isUp === (better === 'more')}
      previous={(format ?? numberText)(before)}
      isFocusable={isFocusable}
    />
  );
}

const arrows = { UP: ArrowUpRight, DOWN: ArrowDownRight, STABLE: ArrowRight, UNKNOWN: undefined } as const;

interface ChangeLineProps {
  text: string;
  trend: keyof typeof arrows;
  /** Null if the change is neither better nor worse. */
  isImprovement: boolean | null;
  previous: string | undefined;
  /** Whether the keyboard opens the tooltip. False in tables, where each row would be a tab stop. */
  isFocusable?: boolean | undefined;
}

/** A change; its tooltip has the previous value, and whether the change is an improvement. */
export function ChangeLine({ text, trend, isImprovement, previous, isFocusable = true }: ChangeLineProps) {
  const Arrow = arrows[trend];
  const details = [
    isImprovement === null ? undefined : t(isImprovement ? 'dashboard.better' : 'dashboard.worse'),
    previous === undefined ? undefined : t('dashboard.beforeValue', { value: previous }),
  ].filter((detail) => detail !== undefined);
  const hasDetails = details.length > 0;
  return (
    <Tooltip label={details.join(', ')} disabled={!hasDetails} events={{ hover: true, focus: true, touch: true }}>
      {/* Described by the tooltip. Its child is not, so screen readers announce the details once. */}
      <Box w="fit-content">
        <Group
          gap={4}
          wrap="nowrap"
          className={classes.delta}
          data-better={isImprovement ?? undefined}
          {...(hasDetails && isFocusable && { tabIndex: 0, role: 'note' })}
        >
          {Arrow && <Arrow size={16} aria-hidden style={{ flex: 'none' }} />}
          <Text size="sm" fw={550}>
            {text}
          </Text>
          {hasDetails && <VisuallyHidden>{details.join(', ')}</VisuallyHidden>}
        </Group>
      </Box>
    </Tooltip>
  );
}

/** Percentage of the previous count, or the change itself if that is 0 or rounds to 0 %; undefined if unchanged. */
function changeText(change: number, before: number, format: Props['formatChange']): string | undefined {
  if (format) return signedText(change, format);
  const percentage = before === 0 ? undefined : signedText((change / before) * 100, decimalText);
  return percentage === undefined ? signedText(change, numberText) : `${percentage}%`;
}
