import {
  ActionIcon,
  Anchor,
  Button,
  EmptyState,
  Indicator,
  Popover,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Bell, BellOff } from 'lucide-react';
import { useState } from 'react';
import { useOpenAlerts } from '../api/alerts.ts';
import { useHasPermission } from '../api/session.ts';
import { shortNumber } from '../parts/number-text.ts';
import { TimeAgo } from '../parts/time-ago.tsx';
import { TryAgain } from '../parts/try-again.tsx';
import { inWords, t, tn } from '../texts/t.ts';
import classes from './alert-bell.module.css';

export function AlertBell() {
  return useHasPermission('ADMIN') ? <Bells /> : null;
}

function Bells() {
  const alerts = useOpenAlerts();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const count = alerts.data?.count ?? 0;
  const label = count > 0 ? tn('alerts.open', count) : t('alerts.none');
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={340} shadow="md" trapFocus returnFocus>
      <Indicator
        label={shortNumber(count)}
        size={16}
        color="red"
        offset={6}
        disabled={count === 0}
        zIndex={1}
        classNames={{ indicator: classes.count }}
      >
        <Popover.Target>
          <ActionIcon size="lg" aria-label={t('alerts.bell', { label })} onClick={() => setOpen(!isOpen)}>
            <Bell size={18} aria-hidden />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      {/* Tells screen readers about new alerts. */}
      <VisuallyHidden role="status">{count > 0 ? label : ''}</VisuallyHidden>
      <Popover.Dropdown p="md">
        <Stack gap="sm">
          <Title order={2} fz="md">
            {t('alerts.title')}
          </Title>
          {alerts.error && !alerts.data ? (
            <TryAgain error={alerts.error} onRetry={alerts.refetch} />
          ) : count === 0 ? (
            <EmptyState
              variant="light"
              icon={<BellOff aria-hidden />}
              title={t('alerts.none')}
              description={t('alerts.noneText')}
              py="sm"
            />
          ) : (
            <ul className={classes.list}>
              {alerts.data?.alerts.map(({ id, webhookId, type, pushUrl, message, since }) => (
                <li key={id} className={classes.entry}>
                  <Anchor component={Link} to={`/settings/webhooks/${webhookId}`} size="sm" fw={600} onClick={close}>
                    {t('alerts.webhook', { type: inWords(type), host: new URL(pushUrl).host })}
                  </Anchor>
                  <Text size="sm">{message}</Text>
                  <Text size="xs" c="dimmed">
                    <TimeAgo at={since} />
                  </Text>
                </li>
              ))}
            </ul>
          )}
          <Button component={Link} to="/settings/webhooks" variant="light" size="compact-sm" onClick={close}>
            {t('alerts.allWebhooks')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
