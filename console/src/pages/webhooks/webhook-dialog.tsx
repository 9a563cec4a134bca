import { Alert, Text } from '@mantine/core';
import { useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { numberText } from '../../parts/number-text.ts';
import { RotationDialog } from '../../parts/rotation-dialog.tsx';
import { inWords, t, tn } from '../../texts/t.ts';
import { TestWebhook } from './test-webhook.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { type Activity, deliveryReads, type Webhook, webhookReads } from './webhook-values.ts';
import { webhooks } from './webhooks-texts.ts';

export type WebhookAction = 'test' | 'edit' | 'toggle' | 'rotate' | 'delete';

interface Props {
  webhook: Webhook;
  waiting: Pick<Activity, 'waiting' | 'waitingIsExact'> | undefined;
  /** The open dialog; undefined if closed. */
  action: WebhookAction | undefined;
  onClose: () => void;
  onDeleted?: (() => void) | undefined;
}

export function WebhookDialog({ webhook, waiting, action, onClose, onDeleted }: Props) {
  return (
    <>
      <TestWebhook webhook={webhook} isOpen={action === 'test'} onClose={onClose} />
      <RotateSecret webhook={webhook} isOpen={action === 'rotate'} onClose={onClose} />
      <FormDrawer opened={action === 'edit'} onClose={onClose} title={t('webhooks.editTitle')}>
        {(cancel) => <WebhookForm webhook={webhook} onCancel={cancel} onSaved={onClose} />}
      </FormDrawer>
      <Toggle webhook={webhook} waiting={waiting} isOpen={action === 'toggle'} onClose={onClose} />
      <Removal
        webhook={webhook}
        waiting={waiting}
        isOpen={action === 'delete'}
        onClose={onClose}
        onDeleted={onDeleted}
      />
    </>
  );
}

type PartProps = Pick<Props, 'webhook' | 'waiting' | 'onClose'> & { isOpen: boolean };

function Toggle({ webhook: { id, enabled, type, pushUrl }, waiting, isOpen, onClose }: PartProps) {
  const update = useApiWrite('PATCH /api/sales-partners/webhooks/{id}', {
    changes: [...webhookReads, ...deliveryReads],
  });
  const count = waiting?.waiting ?? 0;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t(enabled ? 'webhooks.toggle.title' : 'webhooks.toggle.titleOn')}
      text={<Target type={type} pushUrl={pushUrl} />}
      losses={
        enabled
          ? [t('webhooks.toggle.losses.events'), ...(count > 0 ? [tn('webhooks.toggle.losses.waiting', count)] : [])]
          : [t('webhooks.toggle.gains.fresh'), ...(count > 0 ? [tn('webhooks.toggle.gains.waiting', count)] : [])]
      }
      confirmLabel={t(enabled ? 'webhooks.actions.disable' : 'webhooks.actions.enable')}
      isDangerous={enabled}
      onConfirm={async () => {
        await update.mutateAsync({ path: { id }, body: { enabled: !enabled } });
        notifyDone(t(enabled ? 'webhooks.toggle.disabled' : 'webhooks.toggle.enabled'));
      }}
      onClose={onClose}
    />
  );
}

function Removal({ webhook, waiting, isOpen, onClose, onDeleted }: PartProps & Pick<Props, 'onDeleted'>) {
  const { id, type, pushUrl } = webhook;
  const remove = useApiWrite('DELETE /api/sales-partners/webhooks/{id}', {
    changes: ['GET /api/sales-partners/webhooks', 'GET /api/sales-partners/webhooks/activity', 'GET /api/audit-trail'],
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('webhooks.remove.title')}
      text={<Target type={type} pushUrl={pushUrl} />}
      losses={[
        waitingText(waiting),
        t('webhooks.remove.losses.secret'),
        t('webhooks.remove.losses.log'),
        t('webhooks.remove.hint'),
      ]}
      confirmLabel={t('webhooks.remove.submit')}
      onConfirm={async () => {
        await remove.mutateAsync({ path: { id } });
        notifyDone(t('webhooks.remove.done'));
        onDeleted?.();
      }}
      onClose={onClose}
    />
  );
}

function Target({ type, pushUrl }: { type: string; pushUrl: string }) {
  return (
    <Text span size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
      {t('webhooks.remove.text', { type: inWords(type), url: pushUrl })}
    </Text>
  );
}

function waitingText(waiting: PartProps['waiting']): string {
  if (!waiting || waiting.waiting === 0) return t('webhooks.remove.losses.noneWaiting');
  if (!waiting.waitingIsExact) return t('webhooks.remove.losses.waitingMore', { count: numberText(waiting.waiting) });
  return tn('webhooks.remove.losses.waiting', waiting.waiting);
}

interface RotateSecretProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

const { overlaps } = webhooks.rotate;

function RotateSecret({ webhook: { id, previousSecretSignsUntil: running }, ...dialog }: RotateSecretProps) {
  const rotate = useApiWrite('POST /api/sales-partners/webhooks/{id}/rotate-secret', { changes: webhookReads });
  return (
    <RotationDialog
      {...dialog}
      texts="webhooks.rotate"
      lead={
        running ? (
          <Alert color="orange">
            <Countdown until={running} text={(time) => t('webhooks.rotate.underWay', { time })} />
          </Alert>
        ) : (
          <Text size="sm">{t('webhooks.rotate.text')}</Text>
        )
      }
      overlaps={running ? { '0': overlaps['0'] } : overlaps}
      onRotate={async (overlapHours) => {
        const { secret, previousSecretSignsUntil } = await rotate.mutateAsync({ path: { id }, body: { overlapHours } });
        return { value: secret, previousUntil: previousSecretSignsUntil };
      }}
    />
  );
}
