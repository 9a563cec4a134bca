import { Select, type SelectProps, Stack, Text } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { inWords, t } from '../../texts/t.ts';

type Props = Omit<SelectProps, 'data' | 'value'> & { value?: string };

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
        const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
        const found = options.filter((option) => 'value' in option);
        const named = found.filter(({ label, value: type }) => fits(`${label} ${type}`));
        // Matches in the name come before matches in the description.
        return [
          ...named,
          ...found.filter((option) => !named.includes(option) && fits(`${option.label} ${about.get(option.value)}`)),
        ];
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
