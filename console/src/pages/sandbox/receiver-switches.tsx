import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ResponseOf } from '../../api/call.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { notifyProblem } from '../../parts/notify.tsx';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { t, tn } from '../../texts/t.ts';
import { sandbox } from './sandbox-texts.ts';

type Endpoint = ResponseOf<'GET /api/sandbox/receiver'>['endpoints'][number];

const modes = Object.entries(sandbox.receiver.modes).map(([value, label]) => ({ value, label }));
const pollMs = 3000;

export function ReceiverSwitches() {
  const { data, error, refetch } = useApi('GET /api/sandbox/receiver', undefined, { refetchInterval: pollMs });
  const webhooks = useApi('GET /api/sales-partners/webhooks');
  if (!data) return error && <TryAgain error={error} onRetry={refetch} />;
  return (
    <Section title={t('sandbox.receiver.title')} text={t('sandbox.receiver.text')}>
      <Stack gap="md">
        {data.endpoints.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('sandbox.receiver.none')}
          </Text>
        )}
        {data.endpoints.map((endpoint) => (
          <EndpointSwitch
            key={endpoint.name}
            endpoint={endpoint}
            webhookId={webhooks.data?.find(({ pushUrl }) => pushUrl === endpoint.url)?.id}
          />
        ))}
      </Stack>
    </Section>
  );
}

function EndpointSwitch({ endpoint, webhookId }: { endpoint: Endpoint; webhookId: number | undefined }) {
  const { name, mode, requests } = endpoint;
  const change = useApiWrite('PUT /api/sandbox/receiver/{name}', { changes: ['GET /api/sandbox/receiver'] });
  const choose = (value: string) =>
    change.mutate({ path: { name }, body: { mode: value as Endpoint['mode'] } }, { onError: notifyProblem });
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        {webhookId !== undefined && (
          <Anchor component={Link} to={`/settings/webhooks/${webhookId}`} size="sm">
            {t('sandbox.receiver.open')}
          </Anchor>
        )}
      </Group>
      <SegmentedControl
        fullWidth
        data={modes}
        value={mode}
        onChange={choose}
        disabled={change.isPending}
        aria-label={t('sandbox.receiver.mode', { name })}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {tn('sandbox.receiver.requests', requests)}
      </Text>
    </div>
  );
}
