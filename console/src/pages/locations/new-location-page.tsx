import { Button, Card, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import type { NewLocation } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { showFirstError } from '../../parts/first-error.ts';
import { FormProblem, showInForm } from '../../parts/form-problems.tsx';
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
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  const [isDone, setDone] = useState(false);
  const frame = useRef<HTMLFormElement>(null);
  const form = useForm({ initialValues: empty });
  const create = useApiWrite('POST /api/locations', { changes: ['GET /api/locations'] });
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    create.mutate(
      { body: bodyOf(values) },
      {
        onSuccess: ({ id, name = '' }) => {
          notifyDone(t('locations.new.created', { name }));
          setDone(true);
          void navigate({ to: '/locations/$locationId', params: { locationId: String(id) }, ignoreBlocker: true });
        },
        onError: (error) => showFirstError(frame.current, () => setProblem(showInForm(form, error))),
      },
    );
  });
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
        <form ref={frame} onSubmit={submit} noValidate>
          <Stack>
            <FormProblem message={problem} />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={t('locations.fields.name')}
                required
                autoComplete="off"
                {...form.getInputProps('name')}
              />
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
              <CountryChoice
                value={form.values.country}
                onChange={(code) => form.setFieldValue('country', code)}
                error={form.errors.country}
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
              <Button type="submit" loading={create.isPending || isDone}>
                {t('locations.new.create')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      <LeaveGuard isDirty={!isDone && form.isDirty()} />
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

interface Props {
  value: string;
  onChange: (code: string) => void;
  error?: ReactNode;
}

function CountryChoice({ value, onChange, error }: Props) {
  return (
    <Select
      label={t('locations.fields.country')}
      required
      data={countryOptions()}
      value={value || null}
      onChange={(code) => onChange(code ?? '')}
      error={error}
      searchable
    />
  );
}
