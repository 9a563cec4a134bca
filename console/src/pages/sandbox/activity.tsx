import { EmptyState, Stack } from '@mantine/core';
import { Route } from 'lucide-react';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import { ActivityItem } from './activity-item.tsx';
import type { Trigger } from './trigger.ts';

export function Activity({ triggers }: { triggers: readonly Trigger[] }) {
  return (
    <Section title={t('sandbox.activity.title')}>
      {triggers.length === 0 ? (
        <EmptyState
          icon={<Route aria-hidden />}
          variant="light"
          title={t('sandbox.activity.none')}
          description={t('sandbox.activity.noneText')}
          py="xl"
        />
      ) : (
        <Stack gap="xl" aria-live="polite">
          {triggers.map((trigger) => (
            <ActivityItem key={trigger.key} trigger={trigger} />
          ))}
        </Stack>
      )}
    </Section>
  );
}
