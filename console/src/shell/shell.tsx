import { Alert, AppShell, Box, Burger, Group, Progress, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useMatches } from '@tanstack/react-router';
import { hasPermission, SessionContext, useHasPermission, useSessionQuery } from '../api/session.ts';
import { useApi } from '../api/use-api.ts';
import { isDemo } from '../environment.ts';
import { t } from '../texts/t.ts';
import { AlertBell } from './alert-bell.tsx';
import { ColorSwitch } from './color-switch.tsx';
import { ExpiredSession } from './expired-session.tsx';
import { Logo } from './logo.tsx';
import { MainNavigation } from './main-navigation.tsx';
import { NoPermission } from './no-permission.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { PageError } from './page-error.tsx';
import { PageLoading } from './page-loading.tsx';
import classes from './shell.module.css';
import { SignInPage } from './sign-in-page.tsx';
import { useFocusOnPageChange } from './use-focus-on-page-change.ts';
import { useRestoredFocus } from './use-restored-focus.ts';
import { UserMenu } from './user-menu.tsx';

const mainId = 'main';

/** Without a session, the sign-in form replaces the page at the same URL. */
export function Shell() {
  const session = useSessionQuery();
  if (session.isPending) return <PageLoading />;
  if (session.isError && !session.data) return <PageError error={session.error} reset={() => void session.refetch()} />;
  if (!session.data) return <SignInPage />;
  return (
    <SessionContext value={session.data}>
      <Frame organisation={session.data.partner.name} />
      <ExpiredSession email={session.data.user.email} />
    </SessionContext>
  );
}

function Frame({ organisation }: { organisation: string }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useFocusOnPageChange(mainId);
  useRestoredFocus(mainId);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'lg', lg: 'xl' }}
    >
      <a href={`#${mainId}`} className={classes.skip}>
        {t('app.skip')}
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px={{ base: 'sm', sm: 'md' }} justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t('app.menu')}
              aria-expanded={isOpen}
            />
            <Logo />
            <Box className={classes.organisation} title={organisation}>
              {organisation}
            </Box>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <AlertBell />
            <ColorSwitch />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} data-open={isOpen || undefined} aria-label={t('app.navigation')}>
        <AppShell.Section grow component={ScrollArea} type="auto">
          <MainNavigation onChoose={close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id={mainId} tabIndex={-1}>
        <Box className={classes.page}>
          <DemoBanner />
          <Page />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

/** Checks the permission for the page; the server checks every request. */
function Page() {
  const matches = useMatches();
  const routes = matches.map(({ staticData }) => staticData);
  const session = useSessionQuery().data;
  if (routes.some(({ isDemoOnly }) => isDemoOnly) && !isDemo) return <NotFoundPage />;
  if (session && routes.some(({ needs }) => !hasPermission(session, needs))) return <NoPermission />;
  return <Outlet />;
}

const pollMs = 3000;

function DemoBanner() {
  const isAdmin = useHasPermission('ADMIN');
  return isDemo && isAdmin ? <DemoDataState /> : null;
}

function DemoDataState() {
  const { data } = useApi('GET /api/demo-data', undefined, {
    refetchInterval: ({ state }) => state.data?.state === 'RUNNING' && pollMs,
  });
  if (data?.state === 'RUNNING') {
    const { progress = 0 } = data;
    const title = (
      <>
        {t('app.demo.running')} <span aria-live="off">{t('app.demo.progress', { progress })}</span>
      </>
    );
    return (
      <Alert mb="lg" role="status" title={title}>
        <Progress value={progress} aria-label={t('app.demo.label')} />
      </Alert>
    );
  }
  if (data?.state !== 'INCOMPLETE') return null;
  return (
    <Alert mb="lg" color="orange" title={t('app.demo.incomplete')}>
      <Text size="sm">{data.message}</Text>
    </Alert>
  );
}
