import { Alert, Button, List, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect } from 'react';
import { apiUrl } from '../../../api/call.ts';
import { useApi, useApiWrite, useInfiniteList } from '../../../api/use-api.ts';
import { DataList } from '../../../parts/data-list/data-list.tsx';
import { notifyProblem } from '../../../parts/notify.tsx';
import { numberText } from '../../../parts/number-text.ts';
import { Section } from '../../../parts/section.tsx';
import { hasEnded, WorkProgress } from '../../../parts/task-progress.tsx';
import { TryAgain } from '../../../parts/try-again.tsx';
import { t } from '../../../texts/t.ts';

export function UploadResult({ id }: { id: number }) {
  const queries = useQueryClient();
  const {
    data: upload,
    error,
    refetch,
  } = useApi(
    'GET /api/location-imports/{id}',
    { path: { id } },
    { refetchInterval: ({ state }) => !isFinal(state.data) && 1000, staleTime: 0 },
  );
  const cancel = useApiWrite('POST /api/location-imports/{id}/cancel', { changes: ['GET /api/location-imports/{id}'] });
  const isOver = isFinal(upload);
  useEffect(() => {
    if (!isOver) return;
    for (const name of ['GET /api/location-imports', 'GET /api/location-imports/{id}/errors', 'GET /api/locations'])
      void queries.invalidateQueries({ queryKey: [name] });
  }, [isOver, queries]);
  if (!upload) return error && <TryAgain error={error} onRetry={refetch} />;
  const { created, updated, unchanged, failed, rows } = upload;
  return (
    <Section
      title={upload.fileName}
      actions={
        failed > 0 && (
          <Button
            component="a"
            href={apiUrl('GET /api/location-imports/{id}/errors.csv', { path: { id } })}
            download
            variant="light"
            leftSection={<Download size={16} aria-hidden />}
          >
            {t('imports.errorReport')}
          </Button>
        )
      }
    >
      <Stack>
        {error && <TryAgain error={error} onRetry={refetch} />}
        <WorkProgress
          status={upload.status}
          progress={upload.progress}
          done={created + updated + unchanged + failed}
          total={rows}
          failed={failed}
          error={upload.error}
          onCancel={() => cancel.mutate({ path: { id } }, { onError: notifyProblem })}
          isCancelling={cancel.isPending}
        />
        {isOver && !upload.error && failed > 0 && failed === rows && (
          <Alert color="red">{t('imports.allFailed')}</Alert>
        )}
        <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
          <Count label={t('imports.created')} value={created} />
          <Count label={t('imports.updated')} value={updated} />
          <Count label={t('imports.unchanged')} value={unchanged} />
          <Count label={t('imports.failed')} value={failed} isBad={failed > 0} />
        </SimpleGrid>
        {upload.warnings.length > 0 && (
          <Alert color="orange" title={t('imports.warnings')}>
            <List size="sm">
              {upload.warnings.map((warning) => (
                <List.Item key={warning}>{warning}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        {failed > 0 && <Errors id={id} isOver={isOver} />}
      </Stack>
    </Section>
  );
}

const isFinal = (upload: { status: string } | undefined) => upload !== undefined && hasEnded(upload.status);

function Count({ label, value, isBad = false }: { label: string; value: number; isBad?: boolean }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz={22} fw={650} c={isBad ? 'var(--mantine-color-error)' : undefined}>
        {numberText(value)}
      </Text>
    </div>
  );
}

function Errors({ id, isOver }: { id: number; isOver: boolean }) {
  const errors = useInfiniteList(
    'GET /api/location-imports/{id}/errors',
    'errors',
    { path: { id } },
    { refetchInterval: isOver ? false : 2000 },
  );
  return (
    <DataList
      label={t('imports.errors')}
      // A field of a row can have several errors, also the same one.
      source={{ ...errors, rows: errors.rows?.map((error, number) => ({ ...error, number })) }}
      rowKey={({ number }) => number}
      columns={[
        {
          key: 'line',
          sortValue: ({ line }) => line,
          title: t('imports.line'),
          width: 80,
          render: ({ line }) => numberText(line),
        },
        { key: 'field', sortValue: ({ field }) => field, title: t('imports.column'), render: ({ field }) => field },
        {
          key: 'message',
          title: t('imports.message'),
          width: '60%',
          onCard: 'heading',
          render: ({ message }) => message,
        },
        {
          key: 'identifier',
          sortValue: ({ identifier }) => identifier ?? '',
          title: t('imports.identifier'),
          render: ({ identifier }) => identifier ?? '–',
        },
      ]}
      empty={{ title: t('imports.noErrors') }}
    />
  );
}
