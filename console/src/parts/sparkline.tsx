import { useMantineTheme } from '@mantine/core';
import classes from './sparkline.module.css';

interface Props {
  values: readonly number[];
  /** Text alternative. */
  label: string;
  tone: keyof typeof colors;
}

const width = 72;
const height = 26;
const colors = { good: 'teal', bad: 'red', neutral: 'harbour' } as const;

/** A small SVG line, so that lists need no chart library. */
export function Sparkline({ values, label, tone }: Props) {
  const theme = useMantineTheme();
  const color = theme.colors[colors[tone]]?.[5];
  const most = Math.max(...values, 1);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const y = (value: number) => (height - 2 - (value / most) * (height - 4)).toFixed(1);
  const line = values
    .map((value, index) => `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)} ${y(value)}`)
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className={classes.sparkline}
    >
      <title>{label}</title>
      {values.length > 1 && (
        <>
          <path d={`${line}L${width} ${height}L0 ${height}Z`} fill={color} opacity={0.14} />
          <path d={line} fill="none" stroke={color} strokeWidth={1.5} strokeLinejoin="round" />
        </>
      )}
    </svg>
  );
}
