import { Select, type SelectProps, Stack, Text } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { inWords, t } from '../../texts/t.ts';

type Props = Omit<SelectProps, 'data' | 'value'> & { value?: string };

/** All event types, found by their name or by what they are about. */
export function TypeChoice({ value, ...select }: Props) {
  const { data } = useApi('GET /api/event-types', {}, { staleTime: Number.POSITIVE_INFINITY });
  const about = new Map(data?.eventTypes.map(({ type, description }) => [type, description]));
  return (
    <Select
      label={t('webhooks.form.type')}
      description={(value && about.get(value)) || t('webhooks.form.typeHint')}
      data={[...about.keys()].map((type) => ({ value: type, label: inWords(type) }))}
      value={value || null}
      required
      searchable
      selectFirstOptionOnChange
      nothingFoundMessage={t('webhooks.form.typeNone')}
      maxDropdownHeight={360}
      filter={({ options, search }) => {
        const words = search.toLowerCase().split(/[\s_]+/);
        return options.filter((option) => {
          if (!('value' in option)) return true;
          const text = `${option.label} ${option.value} ${about.get(option.value)}`.toLowerCase();
          return words.every((word) => text.includes(word));
        });
      }}
      renderOption={({ option }) => (
        <Stack gap={0}>
          <Text span size="sm" fw={550}>
            {option.label}
          </Text>
          <Text span size="xs" c="dimmed">
            {about.get(option.value)}
          </Text>
        </Stack>
      )}
      {...select}
    />
  );
}
