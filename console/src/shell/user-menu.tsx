import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { BookOpen, LogOut, UserRound } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { ApiProblem } from '../api/api-problem.ts';
import { useSession, useSignIn } from '../api/session.ts';
import { useLeaveQuestion } from '../parts/leave-guard.tsx';
import { notifyProblem } from '../parts/notify.tsx';
import { t, textOrWords } from '../texts/t.ts';
import { isServerReachable } from './missing-files.ts';

const loadAccount = () => import('./account-drawer.tsx');
const AccountDrawer = lazy(loadAccount);

export function UserMenu() {
  const { user } = useSession();
  const { signOut } = useSignIn();
  const [ask, question] = useLeaveQuestion();
  const [account, setAccount] = useState<'closed' | 'open' | 'never'>('never');
  const button = useRef<HTMLButtonElement>(null);
  const name = user.name || user.email;
  const openAccount = () =>
    loadAccount().then(
      () => setAccount('open'),
      async () =>
        notifyProblem(
          new ApiProblem(0, { message: t(`errors.${(await isServerReachable()) ? 'newVersion' : 'unreachable'}`) }),
        ),
    );
  return (
    <>
      <Menu position="bottom-end" width={260} shadow="md" radius="md">
        <Menu.Target>
          <UnstyledButton ref={button} aria-label={t('userMenu.open', { name })}>
            <Avatar color="harbour" size={34} radius="xl">
              <UserRound size={18} aria-hidden />
            </Avatar>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
              {name}
            </Text>
            {user.name && (
              <Text size="xs" truncate>
                {user.email}
              </Text>
            )}
            <Text size="xs" truncate>
              {textOrWords('users.roles', user.role)}
            </Text>
          </Menu.Label>
          <Menu.Divider />
          <Menu.Item leftSection={<UserRound size={16} aria-hidden />} onClick={() => void openAccount()}>
            {t('userMenu.account')}
          </Menu.Item>
          <Menu.Item
            leftSection={<BookOpen size={16} aria-hidden />}
            component="a"
            href="/docs"
            target="_blank"
            rel="noopener"
          >
            {t('userMenu.docs')}
          </Menu.Item>
          <Menu.Item
            leftSection={<LogOut size={16} aria-hidden />}
            onClick={() => ask(() => void signOut().catch(notifyProblem))}
          >
            {t('userMenu.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {question}
      {account !== 'never' && (
        <Suspense>
          <AccountDrawer
            isOpen={account === 'open'}
            onClose={() => setAccount('closed')}
            onClosed={() => button.current?.focus()}
          />
        </Suspense>
      )}
    </>
  );
}
