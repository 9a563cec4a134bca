import { Grid, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { PageHeader } from '../../parts/page-header.tsx';
import { t } from '../../texts/t.ts';
import { Activity } from './activity.tsx';
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
