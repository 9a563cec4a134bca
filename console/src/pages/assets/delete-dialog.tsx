import { Alert, List } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../api/api-problem.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { t, textOrWords } from '../../texts/t.ts';

interface Props {
  isOpen: boolean;
  title: string;
  losses: readonly string[];
  label: string;
  /** Shown instead of the message of a conflict that is not about uses. */
  conflictText?: string;
  onDelete: (force: boolean) => Promise<void>;
  onClose: () => void;
}

/** Confirms the deletion of an asset or folder. For assets in use, asks again with the list of uses. */
export function DeleteDialog({ label, conflictText, onDelete, onClose, ...dialog }: Props) {
  const [isInUse, setInUse] = useState(false);
  const confirm = async () => {
    try {
      await onDelete(isInUse);
    } catch (error) {
      setInUse(error instanceof ApiProblem && error.details !== undefined);
      throw error;
    }
  };
  return (
    <ConfirmDialog
      {...dialog}
      confirmLabel={isInUse ? t('assets.details.deleteAnyway') : label}
      describe={({ code, details }) => {
        if (details) return <Uses {...(details as InUse)} />;
        return code === 409 && conflictText ? <FormProblem message={conflictText} /> : undefined;
      }}
      onConfirm={confirm}
      onClose={() => {
        setInUse(false);
        onClose();
      }}
    />
  );
}

/** Details of the error for assets in use. `id` is absent if the user has partial access. */
interface InUse {
  uses: readonly { assetId: number; assetName: string; type: string; id?: number }[];
  usesCount: number;
}

const maxShown = 5;

const Uses = ({ uses, usesCount }: InUse) => (
  <Alert color="orange" role="alert" title={t('assets.uses.title')}>
    <List size="sm">
      {uses.slice(0, maxShown).map(({ assetId, assetName, type, id }) => (
        <List.Item key={`${assetId} ${type} ${id}`}>
          {t('assets.uses.use', { asset: assetName, resource: textOrWords('assets.uses.types', type) })} {id}
        </List.Item>
      ))}
      {usesCount > maxShown && <List.Item>{t('assets.uses.more', { count: usesCount - maxShown })}</List.Item>}
    </List>
  </Alert>
);
