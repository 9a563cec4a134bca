import { EmptyState, Grid, Stack } from '@mantine/core';
import { Route } from 'lucide-react';
import { useRef, useState } from 'react';
import { PageHeader } from '../../parts/page-header.tsx';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import { ActivityItem } from './activity-item.tsx';
import { ChangeForm } from './change-form.tsx';
import { OutageForm } from './outage-form.tsx';
import { ReceiverSwitches } from './receiver-switches.tsx';
import { ReviewForm } from './review-form.tsx';
import { TargetListing, useTarget } from './target-listing.tsx';
import type { Trigger } from './trigger.ts';

const maxShown = 5;

export function SandboxPage() {
  const target = useTarget();
  const [triggers, setTriggers] = useState<readonly Trigger[]>([]);
  const activity = useRef<HTMLDivElement>(null);
  const add = (trigger: Trigger) => {
    setTriggers((before) => [trigger, ...before].slice(0, maxShown));
    // On narrow screens it is below the forms, so scroll to it.
    activity.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <PageHeader title={t('sandbox.title')} text={t('sandbox.lead')} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <TargetListing target={target} />
            <ReviewForm listing={target.listing} onTriggered={add} />
            <ChangeForm listing={target.listing} onTriggered={add} />
            <OutageForm listing={target.listing} onTriggered={add} />
            <ReceiverSwitches />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }} ref={activity}>
          <Activity triggers={triggers} />
        </Grid.Col>
      </Grid>
    </>
  );
}

function Activity({ triggers }: { triggers: readonly Trigger[] }) {
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
