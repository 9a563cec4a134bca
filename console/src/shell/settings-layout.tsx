import { Tabs } from '@mantine/core';
import { Navigate, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { AlertCount } from '../parts/alert-count.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { t } from '../texts/t.ts';
import { useSettingsPages } from './navigation.ts';
import { NoPermission } from './no-permission.tsx';

/** Each settings page is a tab. Pages below a tab are shown without tabs. */
export function SettingsLayout() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const tabs = useSettingsPages();
  const here = tabs.find(({ to }) => pathname === to);
  if (!here) return <Outlet />;
  return (
    <>
      <PageHeader title={t('settings.title')} pageTitle={`${t(here.label)} · ${t('settings.title')}`} />
      <Tabs
        value={here.to}
        onChange={(to) => to && void navigate({ to })}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label={t('settings.tabs')} mb="lg">
          {tabs.map(({ to, label, icon: Icon }) => (
            <Tabs.Tab
              key={to}
              value={to}
              leftSection={<Icon size={16} aria-hidden />}
              rightSection={to === '/settings/webhooks' && <AlertCount />}
            >
              {t(label)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={here.to}>
          <Outlet />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

export function SettingsIndex() {
  const [first] = useSettingsPages();
  return first ? <Navigate to={first.to} replace /> : <NoPermission />;
}
