import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Check } from 'lucide-react';
import { t } from '../texts/t.ts';

/** Toast with an undo button. */
export function notifyUndoable(message: string, undoLabel: string, onUndo: () => void): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          flex="0 0 auto"
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          {undoLabel}
        </Button>
      </Group>
    ),
    color: 'teal',
    icon: <Check size={16} aria-hidden />,
    role: 'status',
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': t('parts.notice.close') },
  });
}
