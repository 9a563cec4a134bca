import { Divider, NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { Settings } from 'lucide-react';
import { AlertCount } from '../parts/alert-count.tsx';
import { t } from '../texts/t.ts';
import { useMainPages, useSettingsPages } from './navigation.ts';
import classes from './shell.module.css';

/** Entries from this order on are shown below a divider. */
const firstOfTheRest = 100;

export function MainNavigation({ onChoose }: { onChoose: () => void }) {
  const { pathname } = useLocation();
  const entries = useMainPages();
  if (useSettingsPages().length > 0) {
    entries.push({ to: '/settings', label: 'settings.title', icon: Settings, order: firstOfTheRest });
  }
  entries.sort((a, b) => a.order - b.order);
  return (
    <div className={classes.group}>
      {entries.map(({ to, label, icon: Icon, order }, index) => {
        const isHere = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
        const opensRest = order >= firstOfTheRest && (entries[index - 1]?.order ?? firstOfTheRest) < firstOfTheRest;
        return (
          <div key={to}>
            {opensRest && <Divider className={classes.divider} />}
            <NavLink
              component={Link}
              to={to}
              label={t(label)}
              leftSection={<Icon size={18} aria-hidden />}
              rightSection={to === '/settings' && <AlertCount />}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
              className={classes.link}
              onClick={onChoose}
            />
          </div>
        );
      })}
    </div>
  );
}
