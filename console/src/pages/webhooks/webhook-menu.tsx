import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, KeyRound, Pencil, Power, PowerOff, Send, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { inWords, t, tn } from '../../texts/t.ts';
import type { Target } from './target.ts';
import type { WebhookAction } from './webhook-dialog.tsx';

interface Props {
  target: Target;
  onAction: (action: WebhookAction) => void;
}

/** The page of a webhook shows test and edit as buttons. */
export function WebhookMenu({ target, onAction }: Props) {
  const menuButton = useRef<HTMLButtonElement>(null);
  const { pushUrl: url, webhooks, webhookId } = target;
  const isDestination = webhookId === undefined;
  const types = webhooks.map(({ type }) => inWords(type)).join(', ');
  const openDialog = (next: WebhookAction) => {
    // When the dialog closes, it returns the focus to this button: the menu item is unmounted.
    menuButton.current?.focus();
    onAction(next);
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          ref={menuButton}
          aria-label={
            isDestination ? t('webhooks.actions.ofDestination', { url }) : t('webhooks.actions.of', { types, url })
          }
        >
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isDestination && (
          <>
            <Menu.Item leftSection={<Send size={16} aria-hidden />} onClick={() => openDialog('test')}>
              {t('webhooks.actions.test')}
            </Menu.Item>
            <Menu.Item leftSection={<Pencil size={16} aria-hidden />} onClick={() => openDialog('edit')}>
              {t('webhooks.actions.edit')}
            </Menu.Item>
          </>
        )}
        {webhooks.some(({ enabled }) => !enabled) && (
          <Menu.Item leftSection={<Power size={16} aria-hidden />} onClick={() => openDialog('enable')}>
            {tn('webhooks.actions.enable', webhooks.length)}
          </Menu.Item>
        )}
        {webhooks.some(({ enabled }) => enabled) && (
          <Menu.Item leftSection={<PowerOff size={16} aria-hidden />} onClick={() => openDialog('disable')}>
            {tn('webhooks.actions.disable', webhooks.length)}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<KeyRound size={16} aria-hidden />} onClick={() => openDialog('rotate')}>
          {t('webhooks.actions.rotate')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<Trash2 size={16} aria-hidden />}
          onClick={() => openDialog('delete')}
        >
          {tn('webhooks.actions.delete', webhooks.length)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
