import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { PlugZap } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { Countdown } from '../../parts/countdown.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { notifyProblem } from '../../parts/notify.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { t } from '../../texts/t.ts';
import { sandbox } from './sandbox-texts.ts';
import type { FormProps } from './trigger.ts';
import { useTrigger } from './use-trigger.ts';

export function OutageForm({ listing, onTriggered }: FormProps) {
  const { run, isBusy, problem } = useTrigger('page', onTriggered);
  const [seconds, setSeconds] = useState('60');
  const status = useApi('GET /api/sandbox', undefined, { refetchInterval: 3000 });
  const comeBack = useApiWrite('DELETE /api/sandbox/directories/{type}/outage', { changes: ['GET /api/sandbox'] });
  const down = status.data?.directories.filter(({ isDown }) => isDown) ?? [];
  const takeDown = () => {
    if (!listing) return;
    void run(listing.id, async () => {
      const path = { type: listing.type as DirectoryType };
      await call('PUT /api/sandbox/directories/{type}/outage', {
        path,
        body: { seconds: Number(seconds), listingId: listing.id },
      });
      await status.refetch();
      return t('sandbox.outage.done', { directory: listing.typeName, seconds });
    });
  };
  return (
    <Section title={t('sandbox.outage.title')} text={t('sandbox.outage.text')}>
      <Stack gap="sm">
        <Select
          label={t('sandbox.outage.seconds')}
          data={Object.entries(sandbox.outage.lengths).map(([value, label]) => ({ value, label }))}
          value={seconds}
          onChange={(value) => setSeconds(value ?? '60')}
        />
        <FormProblem message={problem} />
        <Button
          color="red"
          variant="light"
          onClick={takeDown}
          loading={isBusy}
          disabled={!listing}
          leftSection={<PlugZap size={16} aria-hidden />}
        >
          {t('sandbox.outage.submit')}
        </Button>
        {down.map(({ type, name, downUntil }) => (
          <Group key={type} justify="space-between" gap="xs">
            <Group gap="xs">
              <Text size="sm" fw={550}>
                {name}
              </Text>
              <StatusBadge tone="bad">
                {downUntil ? (
                  <Countdown until={downUntil} text={(time) => t('sandbox.outage.until', { time })} />
                ) : (
                  t('sandbox.outage.isDown')
                )}
              </StatusBadge>
            </Group>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => comeBack.mutate({ path: { type: type as DirectoryType } }, { onError: notifyProblem })}
            >
              {t('sandbox.outage.back', { directory: name })}
            </Button>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

type DirectoryType = Parameters<typeof call<'DELETE /api/sandbox/directories/{type}/outage'>>[1]['path']['type'];
