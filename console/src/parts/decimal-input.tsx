import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

interface Props extends Omit<NumberInputProps, 'value' | 'onChange' | 'onBlur'> {
  value: number | undefined;
  /** Undefined while the text is not a number. */
  onChange: (value: number | undefined) => void;
}

/** Keeps the typed text while it is not a number or another number, such as "-" and "-0" on the way to -0.5. */
export function DecimalInput({ value, onChange, ...input }: Props) {
  const [typed, setTyped] = useState<string | number>('');
  const change = (next: string | number) => {
    setTyped(next);
    onChange(numberOf(next));
  };
  return (
    <NumberInput
      {...input}
      value={numberOf(typed) === value ? typed : (value ?? '')}
      onChange={change}
      onBlur={() => setTyped(value ?? '')}
    />
  );
}

function numberOf(typed: string | number): number | undefined {
  const number = typed === '' ? Number.NaN : Number(typed);
  // Adding 0 turns -0 into 0.
  return Number.isFinite(number) ? number + 0 : undefined;
}
