import { Kbd, Modal, Table } from '@mantine/core';
import { type HotkeyItem, useHotkeys } from '@mantine/hooks';
import { t } from '../../texts/t.ts';

const keys = {
  next: 'J',
  previous: 'K',
  reply: 'R',
  toggleRead: 'U',
  toggleFlag: 'F',
  toggleLike: 'L',
  search: '/',
  close: 'Escape',
  help: '?',
} as const;

type Command = keyof typeof keys;
export type Commands = Record<Command, () => void>;

/** Open dialogs handle their own keys. */
const isDialogOpen = () => document.querySelector('[role="dialog"], [role="menu"]') !== null;

/** Single keys, ignored in text fields. Whether ? needs Shift depends on the keyboard. */
export function useShortcuts(commands: Commands): void {
  const run = (command: Command) => () => {
    if (!isDialogOpen()) commands[command]();
  };
  useHotkeys([
    ...(Object.keys(keys) as Command[]).map((command): HotkeyItem => [keys[command], run(command)]),
    ['shift+?', run('help')],
  ]);
}

const shownKeys: Record<Command, string> = { ...keys, close: 'Esc' };

export function ShortcutHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('inbox.shortcuts.title')}>
      <Table aria-label={t('inbox.shortcuts.title')}>
        <Table.Tbody>
          {(Object.keys(shownKeys) as Command[]).map((command) => (
            <Table.Tr key={command}>
              <Table.Th scope="row" w={90}>
                <Kbd>{shownKeys[command]}</Kbd>
              </Table.Th>
              <Table.Td>{t(`inbox.shortcuts.${command}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
