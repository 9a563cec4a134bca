import { SimpleGrid } from '@mantine/core';
import { FigureTile } from '../../parts/figure-tile.tsx';
import { numberText, percentText } from '../../parts/number-text.ts';
import { t, tn } from '../../texts/t.ts';
import type { WebhookRow } from './webhook-columns.tsx';

export function WebhookFigures({ rows }: { rows: readonly WebhookRow[] }) {
  const healthy = rows.filter(({ webhook }) => webhook.health.state === 'HEALTHY').length;
  const troubled = rows.filter(({ webhook }) => ['FAILING', 'PAUSED'].includes(webhook.health.state)).length;
  const sum = (kind: 'delivered' | 'failed' | 'waiting') =>
    rows.reduce((total, { activity }) => total + (activity?.[kind] ?? 0), 0);
  const attempts = sum('delivered') + sum('failed');
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <FigureTile
        label={t('webhooks.figures.webhooks')}
        value={numberText(rows.length)}
        text={t('webhooks.figures.healthy', { count: healthy })}
      />
      <FigureTile
        label={t('webhooks.figures.needCare')}
        value={numberText(troubled)}
        tone={troubled > 0 ? 'bad' : undefined}
        text={t(troubled === 0 ? 'webhooks.figures.allHealthy' : 'webhooks.figures.careText')}
      />
      <FigureTile
        label={t('webhooks.figures.rate')}
        value={attempts > 0 ? percentText(sum('delivered') / attempts) : '–'}
        text={tn('webhooks.figures.attempts', attempts)}
      />
      <FigureTile label={t('webhooks.figures.waiting')} value={numberText(sum('waiting'))} />
    </SimpleGrid>
  );
}
