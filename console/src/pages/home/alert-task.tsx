import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { useOpenAlerts } from '../../api/alerts.ts';
import { t, tn } from '../../texts/t.ts';
import classes from './home.module.css';

export const useHasAlerts = (): boolean => (useOpenAlerts().data?.count ?? 0) > 0;

/** The task to look at webhooks with open alerts. */
export function AlertTask() {
  const { alerts = [], count = 0 } = useOpenAlerts().data ?? {};
  const webhookIds = new Set(alerts.map(({ webhookId }) => webhookId));
  const [only] = webhookIds;
  const to = webhookIds.size === 1 ? `/settings/webhooks/${only}` : '/settings/webhooks';
  return (
    <li className={classes.todo}>
      <Stack gap={4}>
        <Group gap="xs">
          <Text fw={600}>{t('alerts.task')}</Text>
          <Badge color="red" size="sm">
            {t('home.todo.priority.HIGH')}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {alerts[0]?.message}
        </Text>
        <div className={classes.todoEnd}>
          <Text size="sm">{tn('alerts.open', count)}</Text>
          <Button
            component={Link}
            to={to}
            variant="light"
            size="compact-sm"
            rightSection={<ArrowRight size={14} aria-hidden />}
          >
            {tn('alerts.go', webhookIds.size)}
          </Button>
        </div>
      </Stack>
    </li>
  );
}
