import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { t } from '../texts/t.ts';
import classes from './logo.module.css';

export function LogoMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path
        d="M16 5.5v21M16 8h7l3 3-3 3h-7M16 15.5H9l-3 3 3 3h7"
        fill="none"
        stroke="#fff"
        strokeWidth="2.2"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

export function Logo() {
  return (
    <Link to="/" className={classes.logo} aria-label={t('app.name')}>
      <LogoMark />
      <Text fw={700} size="lg" lh={1} visibleFrom="xs" aria-hidden>
        {t('app.name')}
      </Text>
    </Link>
  );
}
