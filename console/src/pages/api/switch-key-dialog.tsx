import { useSession } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';

interface Props {
  /** Id of the key that signs after the switch. */
  keyId: number;
  isOpen: boolean;
  onClose: () => void;
}

export function SwitchKeyDialog({ keyId, isOpen, onClose }: Props) {
  const { partner } = useSession();
  const switchKey = useApiWrite('POST /api/sales-partners/{id}/switch-private-key', {
    changes: ['GET /api/sales-partners/{id}/private-keys', 'GET /api/audit-trail'],
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('api.switchTitle', { key: `#${keyId}` })}
      text={t('api.switchText', { key: `#${keyId}` })}
      losses={[t('api.switchPrograms'), t('api.switchReceivers')]}
      confirmLabel={t('api.switch')}
      onConfirm={async () => {
        await switchKey.mutateAsync({ path: { id: partner.id } });
        notifyDone(t('api.switched', { key: `#${keyId}` }));
      }}
      onClose={onClose}
    />
  );
}
