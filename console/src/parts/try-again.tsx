import { Alert, Button, Group, Text } from '@mantine/core';
import type { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';

export function TryAgain({ error, onRetry }: { error: ApiProblem; onRetry: () => unknown }) {
  return (
    <Alert color={error.isForbidden ? 'gray' : 'red'} role="alert" title={t('parts.list.error')}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{error.message}</Text>
        {!error.isForbidden && (
          <Button size="compact-sm" variant="light" color="red" onClick={() => void onRetry()}>
            {t('parts.list.retry')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
