import { Text } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { t } from '../../texts/t.ts';

/** Response to the last attempt; loaded again for a new attempt. */
export function ReceiverResponse({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
  const { data, refetch, isFetching } = useApi('GET /api/deliveries/{id}', { path: { id: deliveryId } });
  if (data && data.history.length < attempts && !isFetching) void refetch();
  const last = data?.history.at(-1);
  if (!last?.response) return null;
  return (
    <>
      <Text size="sm" fw={550} mt="xs" mb={4}>
        {t('sandbox.activity.response')} · {t('sandbox.activity.httpStatus', { code: last.statusCode ?? 0 })}
      </Text>
      {last.response.body ? (
        <JsonView text={last.response.body} label={t('sandbox.activity.responseBody')} maxHeight={160} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('sandbox.activity.emptyResponse')}
        </Text>
      )}
    </>
  );
}
