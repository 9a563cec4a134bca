import { Alert, Checkbox, Group, NumberInput, SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Calculator, Play } from 'lucide-react';
import { useState } from 'react';
import type { InputOf } from '../../api/call.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { ApiForm } from '../../parts/api-form.tsx';
import { DateTimeInput } from '../../parts/date-time-input.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { localText, momentOf, momentOrText } from '../../parts/periods.ts';
import { durationText, ownTimeZone } from '../../parts/time-text.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { deliveryReads } from './webhook-values.ts';

type Order = InputOf<'POST /api/sales-partners/webhooks/{id}/replay'>['body'];

const replayable = ['DISCARDED', 'DELIVERED', 'SKIPPED'] as const;
const dayMs = 86_400_000;

interface Values {
  since: string;
  until: string;
  states: string[];
  ratePerSecond: number | string;
}

/** A replay can be started only after its preview. */
export function ReplayForm({ webhookId }: { webhookId: number }) {
  const [counted, setCounted] = useState<{ order: string; count: number }>();
  const form = useForm<Values>({
    initialValues: {
      since: localText(new Date(Date.now() - dayMs)),
      until: '',
      states: ['DISCARDED'],
      ratePerSecond: 50,
    },
    validate: {
      since: (value) => (momentOf(value) ? null : t('webhook.replays.fromNeeded')),
      states: (value) => (value.length > 0 ? null : t('webhook.replays.statesNeeded')),
    },
  });
  const replay = useApiWrite('POST /api/sales-partners/webhooks/{id}/replay', {
    changes: ['GET /api/sales-partners/webhooks/{id}/replays', ...deliveryReads],
  });
  const key = JSON.stringify(form.values);
  const count = counted?.order === key ? counted.count : undefined;
  const submit = async (values: Values) => {
    const order = orderOf(values);
    const body = count === undefined ? { ...order, dryRun: true } : order;
    const response = await replay.mutateAsync({ path: { id: webhookId }, body });
    if ('dryRun' in response) return setCounted({ order: key, count: response.count });
    setCounted(undefined);
    notifyDone(t('webhook.replays.startedNow'));
  };
  return (
    <ApiForm form={form} onSubmit={submit}>
      <Checkbox.Group label={t('webhook.replays.which')} {...form.getInputProps('states')}>
        <Group mt={6} gap="lg">
          {replayable.map((value) => (
            <Checkbox key={value} value={value} label={textOrWords('webhook.replays.states', value)} />
          ))}
        </Group>
      </Checkbox.Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <DateTimeInput
          label={t('webhook.replays.from')}
          required
          description={t('parts.time.zone', { zone: ownTimeZone })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('since')}
        />
        <DateTimeInput
          label={t('webhook.replays.to')}
          description={t('webhook.replays.toHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('until')}
        />
        <NumberInput
          label={t('webhook.replays.rate')}
          min={1}
          max={1000}
          allowDecimal={false}
          {...form.getInputProps('ratePerSecond')}
        />
      </SimpleGrid>
      <div role="status">
        {count !== undefined && <Counted count={count} rate={Number(form.values.ratePerSecond)} />}
      </div>
      <FormButtons
        loading={form.submitting}
        disabled={count === 0}
        leftSection={count === undefined ? <Calculator size={16} aria-hidden /> : <Play size={16} aria-hidden />}
      >
        {count === undefined
          ? t('webhook.replays.count')
          : count === 0
            ? t('webhook.replays.start')
            : tn('webhook.replays.startCount', count)}
      </FormButtons>
    </ApiForm>
  );
}

function Counted({ count, rate }: { count: number; rate: number }) {
  if (count === 0) return <Alert color="gray">{t('webhook.replays.nothing')}</Alert>;
  const time = durationText(Math.max(1000, (count / Math.max(1, rate)) * 1000));
  return (
    <Alert color="blue" title={tn('webhook.replays.counted', count)}>
      <Text size="sm">{t('webhook.replays.takes', { time })}</Text>
    </Alert>
  );
}

function orderOf({ since, until, states, ratePerSecond }: Values): Order {
  return {
    since: momentOrText(since),
    ...(until && { until: momentOrText(until) }),
    states: replayable.filter((state) => states.includes(state)),
    ratePerSecond: Number(ratePerSecond),
  };
}
