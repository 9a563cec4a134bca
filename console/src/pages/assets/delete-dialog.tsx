import { Alert, List } from '@mantine/core';
import type { ApiProblem } from '../../api/api-problem.ts';
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

/** Confirms the deletion of an asset or folder. For assets in use, asks again and lists the uses. */
export function DeleteDialog({ label, conflictText, onDelete, ...dialog }: Props) {
  return (
    <ConfirmDialog
      {...dialog}
      confirmLabel={(problem) => (usesOf(problem) ? t('assets.details.deleteAnyway') : label)}
      describe={(problem) => {
        const inUse = usesOf(problem);
        if (inUse) return <Uses {...inUse} />;
        return problem.code === 409 && conflictText ? <FormProblem message={conflictText} /> : undefined;
      }}
      onConfirm={(problem) => onDelete(usesOf(problem) !== undefined)}
    />
  );
}

/** Details of the error for assets in use. Users with partial access do not get the ids. */
interface InUse {
  uses: readonly { assetName: string; type: string; id?: number }[];
  usesCount: number;
}

const usesOf = (problem: ApiProblem | undefined) => problem?.details as InUse | undefined;

const maxShown = 5;

const Uses = ({ uses, usesCount }: InUse) => (
  <Alert color="orange" role="alert" title={t('assets.uses.title')}>
    <List size="sm">
      {uses.slice(0, maxShown).map(({ assetName, type, id }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: uses without an id can be equal
        <List.Item key={index}>
          {t('assets.uses.use', { asset: assetName, resource: textOrWords('assets.uses.types', type) })} {id}
        </List.Item>
      ))}
      {usesCount > maxShown && <List.Item>{t('assets.uses.more', { count: usesCount - maxShown })}</List.Item>}
    </List>
  </Alert>
);
