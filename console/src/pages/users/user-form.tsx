import { Checkbox, MultiSelect, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRef, useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import type { NewUser, User } from '../../api/api-types.ts';
import type { ResponseOf } from '../../api/call.ts';
import { useSession, useSignIn } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { showFirstError } from '../../parts/first-error.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useDirty } from '../../parts/form-drawer.tsx';
import { FormProblem, showInForm } from '../../parts/form-problems.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { PasswordField } from '../../parts/password-field.tsx';
import { businessFinder, type Finder, locationFinder, SearchedMany } from '../../parts/searched-choice.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { fieldGroups, isBounded, roles } from './user-values.ts';

interface Values {
  email: string;
  name: string;
  role: User['role'];
  status: User['status'];
  language: string;
  password: string;
  /** Null: the defaults of the role. */
  features: User['features'] | null;
  featuresDetailed: { LOCATION_WRITE: FieldGroup[] };
  businessIds: number[];
  locationIds: number[];
}

type FieldGroup = (typeof fieldGroups)[number];

type Known = ResponseOf<'GET /api/features'>;

interface Props {
  /** Undefined to create one. */
  user: User | undefined;
  known: Known;
  onCancel: () => void;
  onSaved: () => void;
}

export function UserForm({ user, known, onCancel, onSaved }: Props) {
  const { user: self } = useSession();
  const { refresh } = useSignIn();
  const [problem, setProblem] = useState<string>();
  const form = useForm<Values>({ initialValues: valuesOf(user, known) });
  useDirty(form.isDirty());
  const { role, features } = form.values;
  const defaults = known.defaultFeatures[role] ?? [];
  const frame = useRef<HTMLFormElement>(null);
  const fail = (error: ApiProblem) => showFirstError(frame.current, () => setProblem(showInForm(form, error)));
  const done = (saved: User) => {
    notifyDone(t(user ? 'users.saved' : 'users.created', { email: saved.email }));
    onSaved();
    if (saved.id === self.id) void refresh();
  };
  const create = useApiWrite('POST /api/users', { changes: ['GET /api/users'], onSuccess: done });
  const update = useApiWrite('PATCH /api/users/{id}', { changes: ['GET /api/users'], onSuccess: done });
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    if (user)
      update.mutate({ path: { id: user.id }, body: changesOf(valuesOf(user, known), values) }, { onError: fail });
    else create.mutate({ body: bodyOf(values) }, { onError: fail });
  });
  return (
    <form ref={frame} onSubmit={submit} noValidate>
      <Stack>
        <FormProblem message={problem} />
        <TextInput
          label={t('users.email')}
          type="email"
          required
          autoComplete="off"
          {...form.getInputProps('email')}
          data-autofocus
        />
        <TextInput label={t('users.name')} autoComplete="off" {...form.getInputProps('name')} />
        <Select
          label={t('users.role')}
          description={t(`users.roleTexts.${role}`)}
          data={roles.map((value) => ({ value, label: textOrWords('users.roles', value) }))}
          {...form.getInputProps('role')}
        />
        {isBounded(role) && (
          <>
            <BusinessChoice {...form.getInputProps('businessIds')} />
            <LocationChoice {...form.getInputProps('locationIds')} />
          </>
        )}
        {role !== 'ADMIN' && (
          <Stack gap="xs">
            <Switch
              label={t('users.featuresOwn')}
              checked={features !== null}
              onChange={(event) => form.setFieldValue('features', event.currentTarget.checked ? [...defaults] : null)}
            />
            <Checkbox.Group
              label={t('users.features')}
              value={features ?? defaults}
              onChange={(values) => form.setFieldValue('features', values as User['features'])}
              error={form.errors.features}
            >
              <Stack gap={6} mt={6}>
                {known.features.map(({ name }) => (
                  <Checkbox
                    key={name}
                    value={name}
                    label={textOrWords('users.featureTexts', name)}
                    disabled={features === null}
                    // Defaults of the role are read-only.
                    styles={{ label: { color: features === null ? 'var(--mantine-color-dimmed)' : undefined } }}
                    size="sm"
                  />
                ))}
              </Stack>
            </Checkbox.Group>
            {(features ?? defaults).includes('LOCATION_WRITE') && (
              <MultiSelect
                label={t('users.fields')}
                description={t('users.fieldsHint')}
                data={fieldGroups.map((value) => ({ value, label: t(`users.fieldGroups.${value}`) }))}
                value={form.values.featuresDetailed.LOCATION_WRITE}
                onChange={(groups) =>
                  form.setFieldValue('featuresDetailed', { LOCATION_WRITE: groups as FieldGroup[] })
                }
                error={form.errors.featuresDetailed}
              />
            )}
          </Stack>
        )}
        {/* Users change their own password in the account drawer, which asks for the current one. */}
        {user?.id !== self.id && (
          <PasswordField
            label={t(user ? 'users.newPassword' : 'users.password')}
            description={t(user ? 'users.newPasswordHint' : 'users.passwordHint')}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
        )}
        <TextInput
          label={t('users.language')}
          description={t('users.languageHint')}
          {...form.getInputProps('language')}
        />
        {user && user.id !== self.id && (
          <Switch
            label={t('users.active')}
            checked={form.values.status === 'ACTIVE'}
            onChange={(event) => form.setFieldValue('status', event.currentTarget.checked ? 'ACTIVE' : 'INACTIVE')}
          />
        )}
        <FormButtons onCancel={onCancel} loading={create.isPending || update.isPending}>
          {t(user ? 'parts.form.save' : 'users.add')}
        </FormButtons>
      </Stack>
    </form>
  );
}

const valuesOf = (user: User | undefined, known: Known): Values => ({
  email: user?.email ?? '',
  name: user?.name ?? '',
  role: user?.role ?? 'ACCOUNT_MANAGER',
  status: user?.status ?? 'ACTIVE',
  language: user?.language ?? 'en',
  password: '',
  features: user && !isUsual(user, known) ? user.features : null,
  featuresDetailed: { LOCATION_WRITE: user?.featuresDetailed.LOCATION_WRITE ?? [...fieldGroups] },
  businessIds: user?.businessIds ?? [],
  locationIds: user?.locationIds ?? [],
});

function bodyOf(values: Values): NewUser {
  const { email, name, role, language, password, features, featuresDetailed, businessIds, locationIds } = values;
  const isPartly = featuresDetailed.LOCATION_WRITE.length < fieldGroups.length;
  return {
    email: email.trim(),
    role,
    ...(name.trim() && { name: name.trim() }),
    ...(language.trim() && { language: language.trim() }),
    ...(password && { password }),
    ...(features && role !== 'ADMIN' && { features }),
    ...(isPartly && role !== 'ADMIN' && { featuresDetailed }),
    ...(isBounded(role) && { businessIds, locationIds }),
  };
}

/** Compares with the role's defaults; the API does not return whether features were customised. */
const isUsual = ({ role, features }: User, { defaultFeatures }: Known) =>
  JSON.stringify([...features].sort()) === JSON.stringify([...(defaultFeatures[role] ?? [])].sort());

/** Changed fields only, so concurrent changes are kept. */
function changesOf(before: Values, values: Values) {
  const wanted = { ...values, email: values.email.trim(), name: values.name.trim() };
  const changed = (Object.keys(before) as (keyof Values)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(wanted[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, wanted[field]]));
}

interface AccessChoiceProps {
  value?: number[];
  onChange?: (ids: number[]) => void;
  error?: React.ReactNode;
}

const BusinessChoice = (props: AccessChoiceProps) => (
  <AccessChoice
    {...props}
    label={t('users.businesses')}
    description={t('users.businessesHint')}
    find={businessFinder}
  />
);

const LocationChoice = (props: AccessChoiceProps) => (
  <AccessChoice {...props} label={t('users.locations')} description={t('users.locationsHint')} find={locationFinder} />
);

interface ChoiceProps extends AccessChoiceProps {
  label: string;
  description: string;
  find: Finder;
}

const AccessChoice = ({ value = [], onChange, ...input }: ChoiceProps) => (
  <SearchedMany
    {...input}
    value={value.map(String)}
    onChange={(ids) => onChange?.(ids.map(Number))}
    hidePickedOptions={false}
  />
);
