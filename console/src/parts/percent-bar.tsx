import { Progress, type ProgressRootProps } from '@mantine/core';

interface Props extends ProgressRootProps {
  percent: number;
  label: string;
  color?: string;
}

/** A bar whose value screen readers read with at most one decimal. */
export function PercentBar({ percent, label, color, ...root }: Props) {
  return (
    <Progress.Root {...root}>
      <Progress.Section value={Math.round(percent * 10) / 10} color={color} aria-label={label} />
    </Progress.Root>
  );
}
