import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { t } from '../../texts/t.ts';
import type { HeaderValue } from './webhook-form-values.ts';

interface Props {
  value: readonly HeaderValue[];
  errors: readonly string[];
  onChange: (headers: HeaderValue[]) => void;
}

/** Custom headers. The values of saved headers are not known: they are kept, replaced or removed. */
export function HeadersField({ value, errors, onChange }: Props) {
  const set = (index: number, change: Partial<HeaderValue>) =>
    onChange(value.map((header, at) => (at === index ? { ...header, ...change } : header)));
  return (
    <Input.Wrapper
      label={t('webhooks.form.headers')}
      description={t('webhooks.form.headersHint')}
      error={errors.length > 0 && errors.join(' ')}
      labelElement="div"
      role="group"
      aria-label={t('webhooks.form.headers')}
    >
      <Stack gap="xs" mt="xs">
        {value.map(({ key, name, value: text, isSaved }, index) => (
          <Group key={key} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={t('webhooks.form.headerName')}
              placeholder="X-Api-Key"
              value={name}
              readOnly={isSaved}
              maxLength={100}
              style={{ flex: 1 }}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t('webhooks.form.headerValue', { name })}
              placeholder={isSaved ? t('webhooks.form.headerKept') : t('webhooks.form.headerValueHint')}
              value={text}
              maxLength={2000}
              autoComplete="off"
              spellCheck={false}
              style={{ flex: 1 }}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={t('webhooks.form.headerRemove', { name })}
              onClick={() => onChange(value.filter((_, at) => at !== index))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          disabled={value.length >= 20}
          onClick={() => onChange([...value, { key: crypto.randomUUID(), name: '', value: '', isSaved: false }])}
        >
          {t('webhooks.form.headerAdd')}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
