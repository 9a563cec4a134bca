import { Anchor, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Section } from '../../parts/section.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { durationText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { TypeDrawer } from './type-drawer.tsx';
import type { Webhook } from './webhook-values.ts';
import classes from './webhooks.module.css';

export function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  const { id, type, pushUrl, description, includeChildren, retrySchedule, dateCreated, lastUpdated } = webhook;
  const facts: [string, ReactNode][] = [
    [t('webhook.details.id'), id],
    [
      t('webhook.details.type'),
      <Group key="type" gap="0 12px">
        <span className={classes.code}>{type}</span>
        <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
          {t('webhook.details.fields')}
        </Anchor>
      </Group>,
    ],
    [
      t('webhook.details.url'),
      <Group key="url" gap={4} my={-4} wrap="nowrap">
        <span className={classes.url}>{pushUrl}</span>
        <CopyButton value={pushUrl} what={t('webhook.details.url')} />
      </Group>,
    ],
    [t('webhook.details.description'), description ?? '–'],
    [t('webhook.details.children'), t(includeChildren ? 'webhook.details.included' : 'webhook.details.excluded')],
    [
      t('webhook.details.retries'),
      retrySchedule
        ? t('webhook.details.own', { times: retrySchedule.map((wait) => durationText(wait * 1000)).join(', ') })
        : t('webhook.details.platform'),
    ],
    [t('webhook.details.secret'), t('webhook.details.secretText')],
    [t('webhook.details.created'), <TimeAgo key="created" at={dateCreated} />],
    [t('webhook.details.updated'), <TimeAgo key="updated" at={lastUpdated} />],
  ];
  return (
    <Section title={t('webhook.details.title')}>
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <TypeDrawer type={isOpen ? type : undefined} onClose={() => setOpen(false)} />
    </Section>
  );
}
