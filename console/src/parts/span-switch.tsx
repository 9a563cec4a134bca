import { SegmentedControl } from '@mantine/core';

interface Props {
  label: string;
  options: { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
}

/** One of a few, all in sight. */
export function SpanSwitch({ label, options, value, onChange }: Props) {
  return <SegmentedControl aria-label={label} data={options} value={value} onChange={onChange} size="sm" />;
}
