import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { inWords, t } from '../../texts/t.ts';
import { type WebhookAction, WebhookDialog } from './webhook-dialog.tsx';
import type { Activity, Webhook } from './webhook-values.ts';

interface Props {
  webhook: Webhook;
  /** Pending deliveries, if loaded. */
  waiting: Pick<Activity, 'waiting' | 'waitingIsExact'> | undefined;
  /** Omits test and edit, which the webhook page shows as buttons. */
  isShort?: boolean;
  onDeleted?: () => void;
}

export function WebhookMenu({ webhook, waiting, isShort = false, onDeleted }: Props) {
  const [action, setAction] = useState<WebhookAction>();
  const menuButton = useRef<HTMLButtonElement>(null);
  const { type, pushUrl, enabled } = webhook;
  const openDialog = (next: WebhookAction) => {
    // When the dialog closes, it returns the focus to this button: the menu item is unmounted.
    menuButton.current?.focus();
    setAction(next);
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            ref={menuButton}
            variant="subtle"
            color="gray"
            aria-label={t('webhooks.actions.of', { type: inWords(type), url: pushUrl })}
          >
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isShort && (
            <>
              <Menu.Item leftSection={<Send size={16} aria-hidden />} onClick={() => openDialog('test')}>
                {t('webhooks.actions.test')}
              </Menu.Item>
              <Menu.Item leftSection={<Pencil size={16} aria-hidden />} onClick={() => openDialog('edit')}>
                {t('webhooks.actions.edit')}
              </Menu.Item>
            </>
          )}
          <Menu.Item leftSection={<Power size={16} aria-hidden />} onClick={() => openDialog('toggle')}>
            {t(enabled ? 'webhooks.actions.disable' : 'webhooks.actions.enable')}
          </Menu.Item>
          <Menu.Item leftSection={<KeyRound size={16} aria-hidden />} onClick={() => openDialog('rotate')}>
            {t('webhooks.actions.rotate')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => openDialog('delete')}
          >
            {t('webhooks.actions.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <WebhookDialog
        webhook={webhook}
        waiting={waiting}
        action={action}
        onClose={() => setAction(undefined)}
        onDeleted={onDeleted}
      />
    </>
  );
}
