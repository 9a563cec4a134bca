import { Badge, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CirclePause, Power, TriangleAlert } from 'lucide-react';
import { toneColors } from '../../parts/status-badge.tsx';
import { inWords, t, textOrWords } from '../../texts/t.ts';
import { healthTones, type Webhook } from './webhook-values.ts';
import classes from './webhooks.module.css';

const icons = { FAILING: TriangleAlert, PAUSED: CirclePause, OFF: Power };

/** The event types of a destination, each with a link to its webhook. Shows the health of webhooks that are not healthy. */
export function TypeChips({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <ul className={classes.chips} aria-label={t('webhooks.types')}>
      {webhooks.map((webhook) => (
        <li key={webhook.id}>
          <TypeChip webhook={webhook} />
        </li>
      ))}
    </ul>
  );
}

function TypeChip({ webhook: { id, type, health } }: { webhook: Webhook }) {
  const Icon = health.state === 'HEALTHY' ? undefined : icons[health.state];
  const state = textOrWords('webhooks.states', health.state);
  return (
    <Badge
      component={Link}
      to={`/settings/webhooks/${id}`}
      color={Icon ? toneColors[healthTones[health.state]] : 'gray'}
      variant={Icon ? 'light' : 'default'}
      className={classes.chip}
      data-health={health.state}
      leftSection={Icon && <Icon size={13} aria-hidden />}
      title={Icon && state}
    >
      {inWords(type)}
      {Icon && <VisuallyHidden>, {state}</VisuallyHidden>}
    </Badge>
  );
}
