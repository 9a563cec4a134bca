import { Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Asset } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { FormModal, useDirty } from '../../parts/form-drawer.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';
import { postTypes } from '../posts/post-values.ts';

interface Props {
  isOpen: boolean;
  folderId: number | undefined;
  onDone: (asset: Asset) => void;
  onClose: () => void;
}

/** Photos and buttons are added in the composer. */
export function TemplateForm(props: Props) {
  return (
    <FormModal opened={props.isOpen} onClose={props.onClose} title={t('assets.template.createTitle')}>
      {(cancel) => <Fields {...props} onCancel={cancel} />}
    </FormModal>
  );
}

function Fields({ folderId, onDone, onClose, onCancel }: Props & { onCancel: () => void }) {
  const [problem, setProblem] = useState<string>();
  const form = useForm({
    initialValues: { name: '', type: 'POST' as (typeof postTypes)[number], title: '', description: '' },
  });
  useDirty(form.isDirty());
  const create = useApiWrite('POST /api/social-templates', {
    changes: ['GET /api/dam/assets', 'GET /api/dam/folders'],
    onSuccess: (template) => {
      notifyDone(t('assets.template.created', { name: template.name }));
      onClose();
      onDone(template);
    },
  });
  const submit = form.onSubmit(({ name, type, title, description }) => {
    setProblem(undefined);
    const content = { type, ...(title.trim() && { title }), ...(description.trim() && { description }) };
    create.mutate(
      { body: { name, content, ...(folderId && { folderId }) } },
      {
        onError: ({ fields, message }) => {
          const otherErrors = fields.filter((error) => {
            const field = error.field.replace(/^content\./, '');
            if (!(field in form.values)) return true;
            form.setFieldError(field, error.message);
            return false;
          });
          setProblem(fields.length === 0 ? message : otherErrors.map((error) => error.message).join(' ') || undefined);
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormProblem message={problem} />
        <TextInput label={t('assets.template.name')} required {...form.getInputProps('name')} data-autofocus />
        <Select
          label={t('assets.template.type')}
          data={postTypes.map((value) => ({ value, label: t(`posts.types.${value}`) }))}
          {...form.getInputProps('type')}
        />
        <TextInput label={t('assets.template.titleField')} {...form.getInputProps('title')} />
        <Textarea label={t('assets.template.text')} autosize minRows={4} {...form.getInputProps('description')} />
        <FormButtons onCancel={onCancel} loading={create.isPending}>
          {t('assets.template.create')}
        </FormButtons>
      </Stack>
    </form>
  );
}
