import { Grid, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { PageHeader } from '../../parts/page-header.tsx';
import { t } from '../../texts/t.ts';
import { ChangeForm } from './change-form.tsx';
import type { Happening } from './happening.ts';
import { Journeys } from './journeys.tsx';
import { OutageForm } from './outage-form.tsx';
import { PlaceChoice, usePlace } from './place-choice.tsx';
import { ReceiverSwitches } from './receiver-switches.tsx';
import { ReviewForm } from './review-form.tsx';

const mostShown = 5;

export function SandboxPage() {
  const place = usePlace();
  const [happenings, setHappenings] = useState<readonly Happening[]>([]);
  const journeys = useRef<HTMLDivElement>(null);
  const add = (happening: Happening) => {
    setHappenings((before) => [happening, ...before].slice(0, mostShown));
    // On narrow screens it is below the forms, so scroll to it.
    journeys.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <PageHeader title={t('sandbox.title')} text={t('sandbox.lead')} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <PlaceChoice place={place} />
            <ReviewForm listing={place.listing} onHappened={add} />
            <ChangeForm listing={place.listing} onHappened={add} />
            <OutageForm listing={place.listing} onHappened={add} />
            <ReceiverSwitches />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }} ref={journeys}>
          <Journeys happenings={happenings} />
        </Grid.Col>
      </Grid>
    </>
  );
}
