import { Button, Card, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { NewLocation } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { BusinessChoice } from '../../parts/searched-choice.tsx';
import { t } from '../../texts/t.ts';
import { countryOptions } from './countries.ts';
import { CategoryPicker } from './profile/categories-section.tsx';

const empty = {
  name: '',
  identifier: '',
  street: '',
  streetNo: '',
  zip: '',
  city: '',
  country: '',
  phone: '',
  website: '',
  email: '',
  businessId: undefined as number | undefined,
  categories: [] as number[],
};

export function NewLocationPage() {
  const [created, setCreated] = useState<string>();
  const isDone = created !== undefined;
  const form = useForm({ initialValues: empty });
  const create = useApiWrite('POST /api/locations', { changes: ['GET /api/locations'] });
  const submit = async (values: typeof empty) => {
    const { id, name = '' } = await create.mutateAsync({ body: bodyOf(values) });
    notifyDone(t('locations.new.created', { name }));
    setCreated(String(id));
  };
  const field = (name: 'street' | 'streetNo' | 'zip' | 'city' | 'phone' | 'website' | 'email' | 'identifier') => ({
    label: t(`locations.fields.${name}`),
    autoComplete: 'off',
    ...form.getInputProps(name),
  });
  return (
    <>
      <PageHeader
        title={t('locations.new.title')}
        text={t('locations.new.lead')}
        trail={[{ label: t('locations.title'), to: '/locations' }]}
      />
      <Card maw={820}>
        <ApiForm form={form} onSubmit={submit}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t('locations.fields.name')} required autoComplete="off" {...form.getInputProps('name')} />
            <BusinessChoice
              label={t('locations.fields.businessId')}
              required
              value={form.values.businessId}
              onChange={(id) => form.setFieldValue('businessId', id)}
              error={form.errors.businessId}
            />
            <TextInput required {...field('street')} />
            <TextInput {...field('streetNo')} />
            <TextInput {...field('zip')} />
            <TextInput required {...field('city')} />
            <Select
              label={t('locations.fields.country')}
              required
              data={countryOptions()}
              searchable
              {...form.getInputProps('country')}
              value={form.values.country || null}
            />
            <TextInput {...field('identifier')} />
            <TextInput type="tel" {...field('phone')} />
            <TextInput type="email" {...field('email')} />
          </SimpleGrid>
          <TextInput type="url" placeholder="https://" {...field('website')} />
          <CategoryPicker
            value={form.values.categories}
            onChange={(ids) => form.setFieldValue('categories', ids)}
            isRequired
            error={typeof form.errors.categories === 'string' ? form.errors.categories : undefined}
          />
          <Group justify="flex-end">
            <Button component={Link} to="/locations" variant="default">
              {t('parts.form.cancel')}
            </Button>
            <Button type="submit" loading={form.submitting || isDone}>
              {t('locations.new.create')}
            </Button>
          </Group>
        </ApiForm>
      </Card>
      <LeaveGuard isDirty={!isDone && form.isDirty()} />
      {/* Not in submit, which also continues after the user has left the page. */}
      {isDone && <Navigate to="/locations/$locationId" params={{ locationId: created }} ignoreBlocker />}
    </>
  );
}

/** Omits empty fields; the API reports missing required fields. */
function bodyOf({ businessId, categories, ...texts }: typeof empty): NewLocation {
  const given = Object.entries(texts).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : []));
  return {
    ...Object.fromEntries(given),
    ...(businessId !== undefined && { businessId }),
    ...(categories.length > 0 && { categories }),
  } as NewLocation;
}
