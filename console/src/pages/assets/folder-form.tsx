import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { AssetFolder } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { FormModal, useDirty } from '../../parts/form-drawer.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';
import { useFolderOptions } from './use-folders.ts';

interface Props {
  isOpen: boolean;
  /** The folder to edit; undefined to create one. */
  folder?: AssetFolder;
  /** Preselected parent of a new folder. */
  parentId?: number | undefined;
  onDone?: (folder: AssetFolder) => void;
  onClose: () => void;
}

export function FolderForm(props: Props) {
  const title = t(props.folder ? 'assets.folder.editTitle' : 'assets.folder.createTitle');
  return (
    <FormModal opened={props.isOpen} onClose={props.onClose} title={title}>
      {(cancel) => <Fields {...props} onCancel={cancel} />}
    </FormModal>
  );
}

const changes = ['GET /api/dam/folders'] as const;

function Fields({ folder, parentId, onDone, onClose, onCancel }: Props & { onCancel: () => void }) {
  const folders = useFolderOptions(folder);
  const form = useForm({
    initialValues: { name: folder?.name ?? '', parentId: String((folder ? folder.parentId : parentId) ?? 0) },
  });
  useDirty(form.isDirty());
  const onSuccess = (saved: AssetFolder) => {
    notifyDone(t(folder ? 'assets.folder.saved' : 'assets.folder.created', { name: saved.name }));
    onDone?.(saved);
    onClose();
  };
  const create = useApiWrite('POST /api/dam/folders', { changes, onSuccess });
  const update = useApiWrite('PATCH /api/dam/folders/{id}', { changes, onSuccess });
  const submit = ({ name, parentId: selected }: typeof form.values) => {
    const selectedId = Number(selected);
    if (folder) return update.mutateAsync({ path: { id: folder.id }, body: { name, parentId: selectedId || null } });
    return create.mutateAsync({ body: { name, ...(selectedId && { parentId: selectedId }) } });
  };
  return (
    <ApiForm form={form} onSubmit={submit}>
      <TextInput label={t('assets.folder.name')} required {...form.getInputProps('name')} data-autofocus />
      <Select
        label={t('assets.folder.parent')}
        data={folders.options}
        searchable
        {...form.getInputProps('parentId')}
        error={form.errors.parentId ?? folders.error}
      />
      <FormButtons onCancel={onCancel} loading={form.submitting}>
        {t(folder ? 'parts.form.save' : 'assets.folder.create')}
      </FormButtons>
    </ApiForm>
  );
}
