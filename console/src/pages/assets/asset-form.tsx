import { Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Asset, AssetChange } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useDirty } from '../../parts/form-drawer.tsx';
import { LabelChoice } from '../../parts/label-choice.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { BusinessesChoice, LocationsChoice } from '../../parts/searched-choice.tsx';
import { t } from '../../texts/t.ts';
import { useFolderOptions } from './use-folders.ts';

interface Values {
  name: string;
  description: string;
  folderId: string;
  status: Asset['status'];
  startDate: string;
  endDate: string;
  allManagedResources: boolean;
  locationIds: number[];
  businessIds: number[];
  labels: number[];
}

export function AssetForm({ asset }: { asset: Asset }) {
  const [savedValues, setSavedValues] = useState(() => valuesOf(asset));
  const form = useForm<Values>({ initialValues: savedValues });
  useDirty(form.isDirty());
  const folders = useFolderOptions();
  const save = useApiWrite('PATCH /api/dam/assets/{id}', {
    changes: ['GET /api/dam/assets', 'GET /api/dam/assets/{id}', 'GET /api/dam/folders'],
    onSuccess: (saved) => {
      notifyDone(t('assets.details.saved', { name: saved.name }));
      setSavedValues(valuesOf(saved));
      form.setInitialValues(valuesOf(saved));
      form.setValues(valuesOf(saved));
    },
  });
  const submit = (values: Values) =>
    save.mutateAsync({ path: { id: asset.id }, body: changedFields(changeOf(savedValues), changeOf(values)) });
  const { status, allManagedResources, locationIds, businessIds, labels } = form.values;
  return (
    <ApiForm form={form} onSubmit={submit} gap="sm">
      <TextInput label={t('assets.details.name')} required {...form.getInputProps('name')} />
      <Textarea label={t('assets.details.description')} autosize minRows={2} {...form.getInputProps('description')} />
      <Select
        label={t('assets.details.folder')}
        data={folders.options}
        searchable
        {...form.getInputProps('folderId')}
        error={form.errors.folderId ?? folders.error}
      />
      <Switch
        label={t('assets.details.visible')}
        description={t('assets.details.visibleHint')}
        checked={status === 'VISIBLE'}
        onChange={(event) => form.setFieldValue('status', event.currentTarget.checked ? 'VISIBLE' : 'HIDDEN')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput type="date" label={t('assets.details.startDate')} {...form.getInputProps('startDate')} />
        <TextInput type="date" label={t('assets.details.endDate')} {...form.getInputProps('endDate')} />
      </SimpleGrid>
      <Switch
        label={t('assets.details.everyone')}
        error={form.errors.allManagedResources}
        checked={allManagedResources}
        onChange={(event) => form.setFieldValue('allManagedResources', event.currentTarget.checked)}
      />
      {!allManagedResources && (
        <>
          <BusinessesChoice
            label={t('assets.details.businesses')}
            value={businessIds}
            onChange={(ids) => form.setFieldValue('businessIds', ids ?? [])}
            error={form.errors.businessIds}
          />
          <LocationsChoice
            label={t('assets.details.locations')}
            value={locationIds}
            onChange={(ids) => form.setFieldValue('locationIds', ids ?? [])}
            error={form.errors.locationIds}
          />
          <LabelChoice
            label={t('assets.details.labels')}
            value={labels}
            onChange={(ids) => form.setFieldValue('labels', ids)}
            error={form.errors.labels}
          />
        </>
      )}
      <FormButtons loading={form.submitting} disabled={!form.isDirty()}>
        {t('parts.form.save')}
      </FormButtons>
    </ApiForm>
  );
}

const valuesOf = (asset: Asset): Values => ({
  name: asset.name,
  description: asset.description ?? '',
  folderId: String(asset.folderId ?? 0),
  status: asset.status,
  startDate: asset.startDate?.slice(0, 10) ?? '',
  endDate: asset.endDate?.slice(0, 10) ?? '',
  allManagedResources: asset.allManagedResources,
  locationIds: asset.locationIds,
  businessIds: asset.businessIds,
  labels: asset.labels.map(({ id }) => id),
});

/** Cleared fields are null. */
const changeOf = ({ folderId, labels, description, startDate, endDate, ...rest }: Values): AssetChange => ({
  ...rest,
  description: description.trim() || null,
  startDate: startDate || null,
  endDate: endDate || null,
  folderId: Number(folderId) || null,
  ...(rest.allManagedResources
    ? { locationIds: [], businessIds: [], labels: [] }
    : { labels: labels.map((id) => ({ id })) }),
});
