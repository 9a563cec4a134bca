import { Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Asset } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { FormModal, useDirty } from '../../parts/form-drawer.tsx';
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
  const form = useForm({
    initialValues: { name: '', content: { type: 'POST' as (typeof postTypes)[number], title: '', description: '' } },
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
  const submit = ({ name, content: { type, title, description } }: typeof form.values) => {
    const content = { type, ...(title.trim() && { title }), ...(description.trim() && { description }) };
    return create.mutateAsync({ body: { name, content, ...(folderId && { folderId }) } });
  };
  return (
    <ApiForm form={form} onSubmit={submit}>
      <TextInput label={t('assets.template.name')} required {...form.getInputProps('name')} data-autofocus />
      <Select
        label={t('assets.template.type')}
        data={postTypes.map((value) => ({ value, label: t(`posts.types.${value}`) }))}
        {...form.getInputProps('content.type')}
      />
      <TextInput label={t('assets.template.titleField')} {...form.getInputProps('content.title')} />
      <Textarea label={t('assets.template.text')} autosize minRows={4} {...form.getInputProps('content.description')} />
      <FormButtons onCancel={onCancel} loading={form.submitting}>
        {t('assets.template.create')}
      </FormButtons>
    </ApiForm>
  );
}
