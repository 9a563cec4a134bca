import { Group, Text, Tooltip } from '@mantine/core';
import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import { t } from '../texts/t.ts';
import classes from './delta.module.css';
import { decimalText, numberText, signedText } from './number-text.ts';

interface Props {
  now: number | null | undefined;
  before: number | null | undefined;
  /** Formats a value; changes of counts are percentages. */
  text?: (value: number) => string;
  /** Formats the change, if it differs from the value: points for shares. */
  by?: (change: number) => string;
  /** Default: higher is better. 'neither' for neutral values. */
  better?: 'more' | 'less' | 'neither';
}

export function Delta({ now, before, text, by = text, better = 'more' }: Props) {
  if (now === null || now === undefined || before === null || before === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('dashboard.noBefore')}
      </Text>
    );
  }
  const change = now - before;
  const shown = changeText(change, before, by);
  const isSame = shown === undefined;
  const tone = isSame || better === 'neither' ? 'same' : change > 0 === (better === 'more') ? 'good' : 'bad';
  const Arrow = isSame ? ArrowRight : change > 0 ? ArrowUpRight : ArrowDownRight;
  return (
    <Tooltip label={`${t('dashboard.before')}: ${(text ?? numberText)(before)}`}>
      <Group gap={4} wrap="nowrap" className={classes.delta} data-tone={tone}>
        <Arrow size={16} aria-hidden style={{ flex: 'none' }} />
        <Text size="sm" fw={550}>
          {shown ?? t('dashboard.same')}
        </Text>
      </Group>
    </Tooltip>
  );
}

/** Percentage if meaningful; undefined if the change is not visible. */
function changeText(change: number, before: number, by: Props['by']): string | undefined {
  if (by) return signedText(change, by);
  const share = before === 0 ? undefined : signedText((change / before) * 100, decimalText);
  return share === undefined ? signedText(change, numberText) : `${share}%`;
}
