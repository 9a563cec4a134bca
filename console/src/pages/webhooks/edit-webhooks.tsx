import { Alert, List } from '@mantine/core';
import { useState } from 'react';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { inWords, t, tn } from '../../texts/t.ts';
import { type Target, useTargetWrites, useWaiting } from './target.ts';
import { WebhookForm } from './webhook-form.tsx';
import { changesOf, valuesOf } from './webhook-form-values.ts';
import type { EventTypeName } from './webhook-values.ts';

interface Props {
  target: Target;
  isOpen: boolean;
  onClose: () => void;
}

export function EditWebhooks({ target, isOpen, onClose }: Props) {
  return (
    <FormDrawer
      opened={isOpen}
      onClose={onClose}
      title={t(target.webhookId ? 'webhooks.editTitle' : 'webhooks.editDestination')}
    >
      {(cancel) => <EditForm target={target} onCancel={cancel} onSaved={onClose} />}
    </FormDrawer>
  );
}

function EditForm({ target, onCancel, onSaved }: { target: Target; onCancel: () => void; onSaved: () => void }) {
  // Later refreshes of the list do not change what the user edits.
  const [initial] = useState(() => valuesOf(target.webhooks));
  const { update } = useTargetWrites(target);
  return (
    <WebhookForm
      initial={initial}
      hasOneType={target.webhookId !== undefined}
      focus={undefined}
      notes={({ types, pushUrl }) => ({
        types: <LostTypes target={target} types={types} />,
        pushUrl: pushUrl.trim() === initial.pushUrl ? undefined : t('webhooks.form.urlChanged'),
      })}
      submitLabel={() => t('parts.form.save')}
      save={async (values) => {
        const change = changesOf(initial, values);
        if (Object.keys(change).length === 0) return onCancel();
        await update(change);
        notifyDone(tn('webhooks.form.saved', target.webhooks.length));
        onSaved();
      }}
      onCancel={onCancel}
    />
  );
}

/** Announces what is lost with the types that the user removed. */
function LostTypes({ target, types }: { target: Target; types: readonly EventTypeName[] }) {
  const lost = target.webhooks.filter(({ type }) => !types.includes(type));
  const waitingOf = useWaiting(target, lost.length > 0);
  return (
    <div role="status">
      {lost.length > 0 && (
        <Alert color="orange" title={tn('webhooks.form.lost.title', lost.length)}>
          <List size="sm">
            {lost.map((webhook) => (
              <List.Item key={webhook.id}>
                {inWords(webhook.type)}: {waitingOf([webhook])}
              </List.Item>
            ))}
            {target.webhookId === undefined && <List.Item>{tn('webhooks.remove.losses.log', lost.length)}</List.Item>}
          </List>
        </Alert>
      )}
    </div>
  );
}
