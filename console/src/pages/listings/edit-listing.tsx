import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import type { InputOf } from '../../api/call.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useDirty } from '../../parts/form-drawer.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { claimStatuses, flowsByHand, type Listing, syncStatuses } from './listing-values.ts';

type Body = NonNullable<InputOf<'PATCH /api/listings/{id}'>['body']>;

export function EditListing({ listing }: { listing: Listing }) {
  const form = useForm({ initialValues: valuesOf(listing) });
  const isDirty = form.isDirty();
  useDirty(isDirty);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form itself changes with every render
  useEffect(() => {
    if (isDirty) return;
    form.setInitialValues(valuesOf(listing));
    form.setValues(valuesOf(listing));
  }, [listing]);
  const save = useApiWrite('PATCH /api/listings/{id}', {
    changes: ['GET /api/listings/{id}', 'GET /api/listings', 'GET /api/locations/{id}/listings'],
    onSuccess: (saved) => {
      form.setInitialValues(valuesOf(saved));
      form.setValues(valuesOf(saved));
      notifyDone(t('listings.edit.saved'));
    },
  });
  const submit = (values: Values) =>
    save.mutateAsync({ path: { id: listing.id }, body: changesOf(form.getInitialValues(), values) });
  const flows: readonly string[] = flowsByHand;
  const current = flows.includes(listing.flowStatus) ? flows : [listing.flowStatus, ...flows];
  return (
    <ApiForm form={form} onSubmit={submit}>
      <Text size="sm" c="dimmed">
        {t('listings.edit.lead')}
      </Text>
      <Select
        label={t('listings.flowStatus')}
        description={t('listings.edit.flowHint')}
        data={current.map((value) => ({ value, label: textOrWords('listings.flow', value) }))}
        {...form.getInputProps('flowStatus')}
      />
      <Select
        label={t('listings.syncStatus')}
        data={syncStatuses.map((value) => ({ value, label: textOrWords('listings.sync', value) }))}
        {...form.getInputProps('syncStatus')}
      />
      <Select
        label={t('listings.claimStatus')}
        data={claimStatuses.map((value) => ({ value, label: textOrWords('listings.claim', value) }))}
        {...form.getInputProps('claimStatus')}
      />
      <TextInput
        label={t('listings.edit.pageId')}
        description={t('listings.edit.pageIdHint')}
        {...form.getInputProps('listingId')}
      />
      <TextInput
        label={t('listings.edit.pageUrl')}
        type="url"
        placeholder="https://"
        {...form.getInputProps('listingUrl')}
      />
      <Textarea label={t('listings.edit.comment')} autosize minRows={2} {...form.getInputProps('comment')} />
      <FormButtons loading={form.submitting} disabled={!isDirty}>
        {t('parts.form.save')}
      </FormButtons>
    </ApiForm>
  );
}

const valuesOf = (listing: Listing) => ({
  flowStatus: listing.flowStatus,
  syncStatus: listing.syncStatus,
  claimStatus: listing.claimStatus,
  listingId: listing.listingId ?? '',
  listingUrl: listing.listingUrl ?? '',
  comment: '',
});

type Values = ReturnType<typeof valuesOf>;

/** A cleared link is removed. */
function changesOf(before: Values, after: Values): Body {
  const changed = Object.entries(changedFields(before, after));
  return Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])) as Body;
}
