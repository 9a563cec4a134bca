import { Alert, Collapse, Select, type SelectProps, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRef, useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import type { ResponseOf } from '../../api/call.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { showFirstError } from '../../parts/first-error.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useDirty } from '../../parts/form-drawer.tsx';
import { FormProblem, showInForm } from '../../parts/form-problems.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { inWords, t } from '../../texts/t.ts';
import { PushUrlField } from './push-url-field.tsx';
import { bodyOf, changesOf, valuesOf, wrongRetries } from './webhook-form-values.ts';
import { type EventTypeName, type Webhook, webhookReads } from './webhook-values.ts';

type Created = ResponseOf<'POST /api/sales-partners/webhooks'>;

interface Props {
  /** Undefined to create one. */
  webhook?: Webhook;
  type?: EventTypeName | undefined;
  onCancel: () => void;
  onSaved: (saved: Webhook | Created) => void;
}

export function WebhookForm({ webhook, type, onCancel, onSaved }: Props) {
  const [problem, setProblem] = useState<string>();
  const form = useForm({
    initialValues: valuesOf(webhook, type),
    validate: {
      type: (value) => (value ? null : t('webhooks.form.typeNeeded')),
      pushUrl: (value) => (value.trim() ? null : t('webhooks.form.urlNeeded')),
      retrySchedule: (value) => (wrongRetries(value) ? t('webhooks.form.retriesWrong') : null),
    },
  });
  useDirty(form.isDirty());
  const frame = useRef<HTMLFormElement>(null);
  const fail = (error: ApiProblem) => showFirstError(frame.current, () => setProblem(showInForm(form, error)));
  const create = useApiWrite('POST /api/sales-partners/webhooks', { changes: webhookReads, onSuccess: onSaved });
  const update = useApiWrite('PATCH /api/sales-partners/webhooks/{id}', {
    changes: webhookReads,
    onSuccess: (saved) => {
      notifyDone(t('webhooks.form.saved'));
      onSaved(saved);
    },
  });
  const submit = form.onSubmit(
    (values) => {
      setProblem(undefined);
      if (!webhook) create.mutate({ body: bodyOf(values) }, { onError: fail });
      else {
        const body = changesOf(webhook, values);
        if (Object.keys(body).length === 0) onCancel();
        else update.mutate({ path: { id: webhook.id }, body }, { onError: fail });
      }
    },
    () => showFirstError(frame.current),
  );
  const isOtherPlace = webhook !== undefined && form.values.pushUrl.trim() !== webhook.pushUrl;
  return (
    <form ref={frame} onSubmit={submit} noValidate>
      <Stack>
        <FormProblem message={problem} />
        <TypeChoice {...form.getInputProps('type')} data-autofocus={!form.values.type || undefined} />
        <PushUrlField
          {...form.getInputProps('pushUrl')}
          data-autofocus={(form.values.type && !webhook) || undefined}
          onChecked={(message) => {
            if (message) form.setFieldError('pushUrl', message);
            else form.clearFieldError('pushUrl');
          }}
        />
        <Collapse expanded={isOtherPlace}>
          <Alert color="blue">{t('webhooks.form.urlChanged')}</Alert>
        </Collapse>
        <Textarea
          label={t('webhooks.form.description')}
          description={t('webhooks.form.descriptionHint')}
          autosize
          minRows={1}
          maxRows={4}
          maxLength={500}
          {...form.getInputProps('description')}
        />
        <TextInput
          label={t('webhooks.form.retries')}
          description={t('webhooks.form.retriesHint')}
          inputMode="numeric"
          {...form.getInputProps('retrySchedule')}
        />
        <Switch
          label={t('webhooks.form.children')}
          description={t('webhooks.form.childrenHint')}
          {...form.getInputProps('includeChildren', { type: 'checkbox' })}
        />
        <Switch
          label={t('webhooks.form.enabled')}
          description={t('webhooks.form.enabledHint')}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        <FormButtons onCancel={onCancel} loading={create.isPending || update.isPending}>
          {t(webhook ? 'parts.form.save' : 'webhooks.form.add')}
        </FormButtons>
      </Stack>
    </form>
  );
}

type TypeChoiceProps = Omit<SelectProps, 'data' | 'value'> & { value?: string };

function TypeChoice({ value, ...select }: TypeChoiceProps) {
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
