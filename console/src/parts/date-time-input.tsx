import { TextInput, type TextInputProps } from '@mantine/core';

/** A date and a time. Without a maximum, browsers accept years of six digits. */
export const DateTimeInput = (props: TextInputProps) => (
  <TextInput {...props} type="datetime-local" max="9999-12-31T23:59" />
);
