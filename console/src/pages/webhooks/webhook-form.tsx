import { Alert, Collapse, NumberInput, Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { ApiForm } from '../../parts/api-form.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useDirty } from '../../parts/form-drawer.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { CertificateField } from './certificate-field.tsx';
import { certificateRules } from './certificate-values.ts';
import { FilterField } from './filter-field.tsx';
import { HeadersField } from './headers-field.tsx';
import { OAuthField } from './oauth-field.tsx';
import { oauthRules } from './oauth-values.ts';
import { PushUrlField } from './push-url-field.tsx';
import { TypeChoice, TypesChoice } from './type-choice.tsx';
import {
  changesOrigin,
  filterOf,
  isIncomplete,
  keepsHeaderValues,
  type Values,
  wrongHeaders,
  wrongRetries,
} from './webhook-form-values.ts';
import type { EventTypeName } from './webhook-values.ts';

interface Props {
  initial: Values;
  hasOneType?: boolean;
  focus: 'types' | 'pushUrl' | undefined;
  /** Consequences of the values, shown below their fields. */
  notes: (values: Values) => { types?: ReactNode; pushUrl?: string | undefined };
  submitLabel: (values: Values) => string;
  save: (values: Values) => Promise<unknown>;
  onCancel: () => void;
}

export function WebhookForm({ initial, hasOneType = false, focus, notes, submitLabel, save, onCancel }: Props) {
  const form = useForm<Values>({
    initialValues: initial,
    validate: {
      types: (value) =>
        value.length > 0 ? null : t(hasOneType ? 'webhooks.form.typeNeeded' : 'webhooks.form.typesNeeded'),
      pushUrl: (value) => (value.trim() ? null : t('webhooks.form.urlNeeded')),
      retrySchedule: (value = '') => (wrongRetries(value) ? t('webhooks.form.retriesWrong') : null),
      usesOauth: (value, values) =>
        value === undefined && changesOrigin(initial, values) ? t('webhooks.oauth.chooseForOrigin') : null,
      oauth: oauthRules(initial, (values) => changesOrigin(initial, values)),
      clientCertificate: certificateRules(initial),
      headers: (value, values) => {
        if (changesOrigin(initial, values) && keepsHeaderValues(value)) return t('webhooks.form.headersForOrigin');
        return wrongHeaders(value) ? t('webhooks.form.headersWrong') : null;
      },
      filter: (value = '') => {
        if (filterOf(value) === undefined) return t('webhooks.form.filterWrong');
        return isIncomplete(value) ? t('webhooks.filter.incomplete') : null;
      },
    },
  });
  useDirty(form.isDirty());
  const { types } = form.values;
  const note = notes(form.values);
  const headerFields = Object.keys(form.errors).filter((field) => field.split('.')[0] === 'headers');
  const headerErrors = headerFields.map((field) => String(form.errors[field]));
  const setTypes = (chosen: string[]) => form.setFieldValue('types', chosen as EventTypeName[]);
  const typesInput = { error: form.errors.types, 'data-autofocus': focus === 'types' || undefined };
  const textInput = (
    field: 'description' | 'retrySchedule' | 'filter' | 'maxPerSecond' | 'timeoutSeconds',
    hint: string,
  ) => {
    const { value = '', ...input } = form.getInputProps(field);
    const differs = initial[field] === undefined;
    const isKept = form.values[field] === undefined;
    const description = differs ? `${hint} ${t(isKept ? 'webhooks.form.differs' : 'webhooks.form.forAll')}` : hint;
    return { value, ...input, description };
  };
  const switchInput = (
    field:
      | 'includeChildren'
      | 'enabled'
      | 'asymmetricSignature'
      | 'cloudEvents'
      | 'usesOauth'
      | 'usesCertificate'
      | 'ordered',
  ) => ({
    differs: initial[field] === undefined,
    value: form.values[field],
    error: form.errors[field],
    onChange: (value: boolean | undefined) => form.setFieldValue(field, value),
  });
  return (
    <ApiForm form={form} onSubmit={save}>
      {hasOneType ? (
        <TypeChoice {...typesInput} value={types[0]} onChange={(type) => setTypes(type ? [type] : [])} />
      ) : (
        <TypesChoice {...typesInput} value={types} onChange={setTypes} />
      )}
      {note.types}
      <PushUrlField
        {...form.getInputProps('pushUrl')}
        hasCredentials={initial.hasCredentials}
        data-autofocus={focus === 'pushUrl' || undefined}
        onChecked={(message) => {
          if (message) form.setFieldError('pushUrl', message);
          else form.clearFieldError('pushUrl');
        }}
      />
      <Collapse expanded={note.pushUrl !== undefined}>
        <Alert color="blue">{note.pushUrl}</Alert>
      </Collapse>
      <Textarea
        label={t('webhooks.form.description')}
        autosize
        minRows={1}
        maxRows={4}
        maxLength={500}
        {...textInput('description', t('webhooks.form.descriptionHint'))}
      />
      <TextInput
        label={t('webhooks.form.retries')}
        inputMode="numeric"
        {...textInput('retrySchedule', t('webhooks.form.retriesHint'))}
      />
      <FilterField
        {...textInput('filter', t('webhooks.form.filterHint'))}
        types={types}
        includeChildren={form.values.includeChildren ?? true}
        onChange={(json) => form.setFieldValue('filter', json)}
      />
      <HeadersField
        value={form.values.headers}
        errors={headerErrors}
        onChange={(headers) => {
          form.setFieldValue('headers', headers);
          for (const field of headerFields) form.clearFieldError(field);
        }}
      />
      <SharedSwitch name="oauth" {...switchInput('usesOauth')} />
      {form.values.usesOauth && <OAuthField form={form} isSaved={initial.usesOauth === true} />}
      <SharedSwitch name="certificate" {...switchInput('usesCertificate')} />
      {form.values.usesCertificate && <CertificateField form={form} isSaved={initial.usesCertificate === true} />}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label={t('webhooks.form.rate')}
          min={1}
          max={1000}
          allowDecimal={false}
          {...textInput('maxPerSecond', t('webhooks.form.rateHint'))}
        />
        <NumberInput
          label={t('webhooks.form.timeout')}
          min={1}
          max={30}
          allowDecimal={false}
          {...textInput('timeoutSeconds', t('webhooks.form.timeoutHint'))}
        />
      </SimpleGrid>
      <SharedSwitch name="ordered" {...switchInput('ordered')} />
      <SharedSwitch name="asymmetric" {...switchInput('asymmetricSignature')} />
      <SharedSwitch name="cloudEvents" {...switchInput('cloudEvents')} />
      <SharedSwitch name="children" {...switchInput('includeChildren')} />
      <SharedSwitch name="enabled" {...switchInput('enabled')} />
      <FormButtons onCancel={onCancel} loading={form.submitting}>
        {submitLabel(form.values)}
      </FormButtons>
    </ApiForm>
  );
}

interface SharedSwitchProps {
  name: 'children' | 'enabled' | 'asymmetric' | 'cloudEvents' | 'oauth' | 'certificate' | 'ordered';
  /** The webhooks have different values. */
  differs: boolean;
  value: boolean | undefined;
  error: ReactNode;
  onChange: (value: boolean | undefined) => void;
}

function SharedSwitch({ name, differs, value, error, onChange }: SharedSwitchProps) {
  const texts = { label: t(`webhooks.form.${name}`), description: t(`webhooks.form.${name}Hint`) };
  if (!differs) {
    return <Switch {...texts} checked={value ?? false} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  return (
    <Select
      {...texts}
      error={error}
      data={['keep', 'true', 'false'].map((choice) => ({
        value: choice,
        label: textOrWords(`webhooks.form.${name}Of`, choice),
      }))}
      value={value === undefined ? 'keep' : String(value)}
      onChange={(choice) => onChange(choice === 'keep' ? undefined : choice === 'true')}
    />
  );
}
