import { Alert, Text } from '@mantine/core';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { RotationDialog } from '../../parts/rotation-dialog.tsx';
import { inWords, t, tn } from '../../texts/t.ts';
import { EditWebhooks } from './edit-webhooks.tsx';
import { type Target, useTargetWrites, useWaiting, useWaitingCount } from './target.ts';
import { TestWebhook } from './test-webhook.tsx';
import { webhooks as texts } from './webhooks-texts.ts';

export type WebhookAction = 'test' | 'edit' | 'enable' | 'disable' | 'rotate' | 'delete';

interface Props {
  target: Target;
  /** The open dialog; undefined if closed. */
  action: WebhookAction | undefined;
  onClose: () => void;
  onDeleted?: (() => void) | undefined;
}

export function WebhookDialog({ target, action, onClose, onDeleted }: Props) {
  const dialog = { target, onClose };
  return (
    <>
      <TestWebhook webhooks={target.webhooks} isOpen={action === 'test'} onClose={onClose} />
      <RotateSecret {...dialog} isOpen={action === 'rotate'} />
      <EditWebhooks {...dialog} isOpen={action === 'edit'} />
      <Toggle {...dialog} action="disable" isOpen={action === 'disable'} />
      <Toggle {...dialog} action="enable" isOpen={action === 'enable'} />
      <Removal {...dialog} isOpen={action === 'delete'} onDeleted={onDeleted} />
    </>
  );
}

type PartProps = Pick<Props, 'target' | 'onClose'> & { isOpen: boolean };

function Toggle({ target, isOpen, onClose, action }: PartProps & { action: 'enable' | 'disable' }) {
  const isEnabling = action === 'enable';
  const { update } = useTargetWrites(target);
  const waiting = useWaitingCount(target, isOpen)(target.webhooks.filter(({ enabled }) => enabled !== isEnabling));
  const count = target.webhooks.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={tn(`webhooks.toggle.${action}.title`, count)}
      text={<TargetName target={target} />}
      losses={[
        tn(`webhooks.toggle.${action}.effect`, count),
        ...waitingLines(waiting, (pending) => tn(`webhooks.toggle.${action}.waiting`, pending)),
      ]}
      confirmLabel={tn(`webhooks.actions.${action}`, count)}
      isDangerous={!isEnabling}
      onConfirm={async () => {
        await update({ enabled: isEnabling });
        notifyDone(tn(`webhooks.toggle.${action}.done`, count));
      }}
      onClose={onClose}
    />
  );
}

/** None while loading or without pending deliveries. */
function waitingLines(waiting: { count: number } | null | undefined, text: (pending: number) => string): string[] {
  if (waiting === null) return [t('webhooks.toggle.notCounted')];
  return waiting && waiting.count > 0 ? [text(waiting.count)] : [];
}

function Removal({ target, isOpen, onClose, onDeleted }: PartProps & Pick<Props, 'onDeleted'>) {
  const { remove } = useTargetWrites(target);
  const waitingOf = useWaiting(target, isOpen);
  const count = target.webhooks.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={tn('webhooks.remove.title', count)}
      text={<TargetName target={target} />}
      losses={[
        waitingOf(target.webhooks),
        t('webhooks.remove.losses.secret'),
        tn('webhooks.remove.losses.log', count),
        tn('webhooks.remove.hint', count),
      ]}
      confirmLabel={tn('webhooks.remove.submit', count)}
      onConfirm={async () => {
        await remove();
        notifyDone(tn('webhooks.remove.done', count));
        onDeleted?.();
      }}
      onClose={onClose}
    />
  );
}

function TargetName({ target: { webhooks, pushUrl } }: { target: Target }) {
  const type = webhooks.map((webhook) => inWords(webhook.type)).join(', ');
  return (
    <Text span size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
      {t('webhooks.remove.text', { type, url: pushUrl })}
    </Text>
  );
}

const { overlaps } = texts.rotate;

function RotateSecret({ target, ...dialog }: PartProps) {
  const { rotate } = useTargetWrites(target);
  const running = target.webhooks
    .flatMap(({ previousSecretSignsUntil }) => previousSecretSignsUntil ?? [])
    .toSorted()
    .at(-1);
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
          <Text size="sm">{tn('webhooks.rotate.text', target.webhooks.length)}</Text>
        )
      }
      overlaps={running ? { '0': overlaps['0'] } : overlaps}
      onRotate={async (overlapHours) => {
        const { secret, previousSecretSignsUntil } = await rotate(overlapHours);
        return { value: secret, previousUntil: previousSecretSignsUntil };
      }}
    />
  );
}
