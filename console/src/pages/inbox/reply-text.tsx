import { Group, Text, Textarea, type TextareaProps } from '@mantine/core';
import { t } from '../../texts/t.ts';

interface Props extends Omit<TextareaProps, 'value' | 'onChange'> {
  value: string;
  onChange: (value: string) => void;
  /** Character limit of the directory. */
  max: number;
}

export const isTooLong = (text: string, max: number): boolean => [...text.trim()].length > max;

export function ReplyText({ value, onChange, max, ...input }: Props) {
  const length = [...value.trim()].length;
  const isOver = length > max;
  return (
    <div>
      <Textarea
        {...input}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
        error={isOver ? t('inbox.tooLong', { over: length - max }) : input.error}
      />
      <Group justify="flex-end" mt={4}>
        <Text size="xs" c={isOver ? 'red' : 'dimmed'} aria-live="polite">
          {t('locations.counted', { length, max })}
        </Text>
      </Group>
    </div>
  );
}
