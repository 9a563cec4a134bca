import { EmptyState, Stack } from '@mantine/core';
import { Route } from 'lucide-react';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import type { Happening } from './happening.ts';
import { Journey } from './journey.tsx';

export function Journeys({ happenings }: { happenings: readonly Happening[] }) {
  return (
    <Section title={t('sandbox.journeys.title')}>
      {happenings.length === 0 ? (
        <EmptyState
          icon={<Route aria-hidden />}
          variant="light"
          title={t('sandbox.journeys.none')}
          description={t('sandbox.journeys.noneText')}
          py="xl"
        />
      ) : (
        <Stack gap="xl" aria-live="polite">
          {happenings.map((happening) => (
            <Journey key={happening.key} happening={happening} />
          ))}
        </Stack>
      )}
    </Section>
  );
}
