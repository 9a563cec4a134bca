import { Alert, Progress, Text } from '@mantine/core';
import { useMayDo } from '../api/session.ts';
import { useApi } from '../api/use-api.ts';
import { isDemo } from '../environment.ts';
import { t } from '../texts/t.ts';

const pollMs = 3000;

export function DemoBanner() {
  const isAdmin = useMayDo('ADMIN');
  return isDemo && isAdmin ? <DemoData /> : null;
}

function DemoData() {
  const { data } = useApi('GET /api/demo-data');
  useApi('GET /api/demo-data', undefined, { refetchInterval: data?.state === 'RUNNING' ? pollMs : false });
  if (data?.state === 'RUNNING') {
    return (
      <Alert mb="lg" title={t('app.demo.running', { progress: data.progress ?? 0 })}>
        <Progress value={data.progress ?? 0} aria-label={t('app.demo.label')} />
      </Alert>
    );
  }
  if (data?.state !== 'INCOMPLETE') return null;
  return (
    <Alert mb="lg" color="orange" title={t('app.demo.incomplete')}>
      <Text size="sm">{data.message}</Text>
    </Alert>
  );
}
