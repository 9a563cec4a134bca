import { Text, Textarea, type TextareaProps } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import { call } from '../../api/call.ts';
import { numberText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';
import { filterOf } from './webhook-form-values.ts';
import type { EventTypeName } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface Props extends Omit<TextareaProps, 'value'> {
  value: string;
  types: readonly EventTypeName[];
  includeChildren: boolean;
  /** Error of the filter; undefined if valid. */
  onChecked: (message: string | undefined) => void;
}

/** On blur, the API checks the filter and counts the events that it would have matched. */
export function FilterField({ value, types, includeChildren, onChecked, onBlur, ...input }: Props) {
  const [checked, setChecked] = useState<{ key: string; text: string }>();
  const requested = useRef('');
  const filter = filterOf(value);
  const key = JSON.stringify([value, types, includeChildren]);
  const check = async () => {
    if (!filter || types.length === 0 || requested.current === key) return;
    requested.current = key;
    const report = (message: string | undefined, text = '') => {
      if (requested.current !== key) return;
      onChecked(message);
      setChecked({ key, text });
    };
    try {
      const body = { types: [...types], includeChildren, filter };
      const found = await call('POST /api/sales-partners/webhooks/check-filter', { body });
      const counts = { matching: numberText(found.matching), checked: numberText(found.checked) };
      const preview = found.checked > 0 ? t('webhooks.form.filterMatches', counts) : t('webhooks.form.filterNoEvents');
      report(undefined, `${t('webhooks.form.filterSentence', { filter: found.filterText })} ${preview}`);
    } catch (error) {
      const { fields, message } = error as ApiProblem;
      report(fields.map((field) => field.message).join(' ') || message);
    }
  };
  return (
    <div>
      <Textarea
        label={t('webhooks.form.filter')}
        placeholder={'{"field": "updateResult", "in": ["FAILURE", "UNDEFINED"]}'}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        autoComplete="off"
        value={value}
        {...input}
        onBlur={(event) => {
          onBlur?.(event);
          void check();
        }}
        classNames={{ input: classes.code }}
      />
      <Text size="xs" mt={5} role="status" c="dimmed">
        {checked?.key === key && !input.error && checked.text}
      </Text>
    </div>
  );
}
