import { Button, Group } from '@mantine/core';
import { FolderPen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AssetFolder } from '../../api/api-types.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { t, tn } from '../../texts/t.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { FolderForm } from './folder-form.tsx';

export function FolderActions({ folder, onDeleted }: { folder: AssetFolder; onDeleted: () => void }) {
  const { id, name, assetsCount, foldersCount } = folder;
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const remove = useApiWrite('DELETE /api/dam/folders/{id}', {
    changes: ['GET /api/dam/folders', 'GET /api/dam/assets'],
  });
  const losses = [
    ...(assetsCount > 0 ? [tn('assets.folder.deleteAssets', assetsCount)] : []),
    ...(foldersCount > 0 ? [tn('assets.folder.deleteFolders', foldersCount)] : []),
  ];
  return (
    <Group gap={4}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<FolderPen size={14} aria-hidden />}
        onClick={() => setDialog('edit')}
      >
        {t('assets.folder.edit')}
      </Button>
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        leftSection={<Trash2 size={14} aria-hidden />}
        onClick={() => setDialog('delete')}
      >
        {t('assets.folder.delete')}
      </Button>
      <FolderForm isOpen={dialog === 'edit'} folder={folder} onClose={() => setDialog(undefined)} />
      <DeleteDialog
        isOpen={dialog === 'delete'}
        title={t('assets.folder.deleteTitle', { name })}
        losses={losses.length > 0 ? losses : [t('assets.folder.deleteEmpty')]}
        label={t('assets.folder.delete')}
        conflictText={t('assets.folder.notEmpty')}
        onDelete={async (force) => {
          await remove.mutateAsync({ path: { id }, query: { recursive: losses.length > 0, force } });
          notifyDone(t('assets.folder.deleted', { name }));
          onDeleted();
        }}
        onClose={() => setDialog(undefined)}
      />
    </Group>
  );
}
