import { Button, Input, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import { callWith } from '../../api/call.ts';
import { loadProblem, useApi } from '../../api/use-api.ts';
import { numberText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { conditionsOf, filterJson, sharedFields } from './filter-conditions.ts';
import { filterOf, isIncomplete } from './webhook-form-values.ts';
import type { EventTypeName } from './webhook-values.ts';
import classes from './webhooks.module.css';

const checkAfterMs = 500;

interface Props {
  /** JSON; empty for none. */
  value: string;
  description: string;
  error?: ReactNode;
  types: readonly EventTypeName[];
  includeChildren: boolean;
  onChange: (json: string) => void;
}

/** A filter as conditions or as JSON. The API checks it and counts the events that it would have matched. */
export function FilterField({ value, description, error, types, includeChildren, onChange }: Props) {
  const known = useApi('GET /api/event-types', {}, { staleTime: Number.POSITIVE_INFINITY });
  const [prefersJson, setPrefersJson] = useState(false);
  const filter = filterOf(value);
  const conditions = filter === undefined ? undefined : conditionsOf(filter);
  const isJson = prefersJson || !conditions;
  const check = useFilterCheck(value, types, includeChildren);
  const input = { label: t('webhooks.form.filter'), description, error: error ?? check.error ?? loadProblem(known) };
  return (
    <div>
      {isJson ? (
        <Textarea
          {...input}
          placeholder={'{"field": "updateResult", "in": ["FAILURE", "UNDEFINED"]}'}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          classNames={{ input: classes.code }}
        />
      ) : (
        <Input.Wrapper {...input} labelElement="div" role="group" aria-label={t('webhooks.form.filter')}>
          <FilterBuilder
            value={conditions}
            fields={sharedFields(
              (known.data?.eventTypes ?? []).filter(({ type }) => types.includes(type as EventTypeName)),
            )}
            onChange={(changed) => onChange(filterJson(changed))}
          />
        </Input.Wrapper>
      )}
      <Text size="xs" mt={5} role="status" c="dimmed">
        {input.error ? '' : check.text}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        mt={4}
        ml={-8}
        disabled={isJson && !conditions}
        onClick={() => setPrefersJson(!isJson)}
      >
        {t(isJson ? 'webhooks.filter.asConditions' : 'webhooks.filter.asJson')}
      </Button>
      {isJson && filter && !conditions && (
        <Text span size="xs" c="dimmed">
          {t('webhooks.filter.onlyJson')}
        </Text>
      )}
    </div>
  );
}

/** Checks a complete filter when it has not changed for a moment. */
function useFilterCheck(value: string, types: readonly EventTypeName[], includeChildren: boolean) {
  const key = JSON.stringify([value, types, includeChildren]);
  const [settled] = useDebouncedValue(key, checkAfterMs);
  const filter = filterOf(value);
  const { data, error } = useQuery({
    queryKey: ['filter-check', key],
    queryFn: ({ signal }) =>
      callWith(
        'POST /api/sales-partners/webhooks/check-filter',
        { body: { types: [...types], includeChildren, filter: filter ?? {} } },
        { signal },
      ),
    enabled: settled === key && filter != null && types.length > 0 && !isIncomplete(value),
    retry: false,
  });
  if (error) {
    const { fields = [], message } = error as unknown as ApiProblem;
    return { error: fields.map((field) => field.message).join(' ') || message };
  }
  if (!data) return { text: '' };
  const counts = { matching: numberText(data.matching), checked: numberText(data.checked) };
  const preview = data.checked > 0 ? t('webhooks.form.filterMatches', counts) : t('webhooks.form.filterNoEvents');
  return { text: `${t('webhooks.form.filterSentence', { filter: data.filterText })} ${preview}` };
}
