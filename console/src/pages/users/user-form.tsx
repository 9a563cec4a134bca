import { Checkbox, MultiSelect, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { NewUser, User } from '../../api/api-types.ts';
import type { ResponseOf } from '../../api/call.ts';
import { useSession, useSignIn } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useDirty } from '../../parts/form-drawer.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { PasswordField } from '../../parts/password-field.tsx';
import { businessFinder, locationFinder, SearchedMany } from '../../parts/searched-choice.tsx';
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

const accessChoices = [
  { field: 'businessIds', name: 'businesses', find: businessFinder },
  { field: 'locationIds', name: 'locations', find: locationFinder },
] as const;

export function UserForm({ user, known, onCancel, onSaved }: Props) {
  const { user: self } = useSession();
  const { refresh } = useSignIn();
  const form = useForm<Values>({ initialValues: valuesOf(user, known) });
  useDirty(form.isDirty());
  const { role, features } = form.values;
  const defaults = known.defaultFeatures[role] ?? [];
  const done = (saved: User) => {
    notifyDone(t(user ? 'users.saved' : 'users.created', { email: saved.email }));
    onSaved();
    if (saved.id === self.id) void refresh();
  };
  const create = useApiWrite('POST /api/users', { changes: ['GET /api/users'], onSuccess: done });
  const update = useApiWrite('PATCH /api/users/{id}', { changes: ['GET /api/users'], onSuccess: done });
  const submit = (values: Values) =>
    user
      ? update.mutateAsync({ path: { id: user.id }, body: changedFields(valuesOf(user, known), trimmed(values)) })
      : create.mutateAsync({ body: bodyOf(values) });
  return (
    <ApiForm form={form} onSubmit={submit}>
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
      {isBounded(role) &&
        accessChoices.map(({ field, name, find }) => (
          <SearchedMany
            key={field}
            label={t(`users.${name}`)}
            description={t(`users.${name}Hint`)}
            find={find}
            value={form.values[field].map(String)}
            onChange={(ids) => form.setFieldValue(field, ids.map(Number))}
            error={form.errors[field]}
            hidePickedOptions={false}
          />
        ))}
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
              onChange={(groups) => form.setFieldValue('featuresDetailed', { LOCATION_WRITE: groups as FieldGroup[] })}
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
      <FormButtons onCancel={onCancel} loading={form.submitting}>
        {t(user ? 'parts.form.save' : 'users.add')}
      </FormButtons>
    </ApiForm>
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

const trimmed = (values: Values): Values => ({ ...values, email: values.email.trim(), name: values.name.trim() });
