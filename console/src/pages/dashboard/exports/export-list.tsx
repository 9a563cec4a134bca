import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Export } from '../../../api/api-types.ts';
import { apiUrl } from '../../../api/call.ts';
import { useApi, useApiWrite } from '../../../api/use-api.ts';
import { actorText } from '../../../parts/actor-text.ts';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { listOf, type Paging, type Source } from '../../../parts/data-list/column.ts';
import { ListPages } from '../../../parts/data-list/list-pages.tsx';
import { ListState, ReloadError } from '../../../parts/data-list/list-state.tsx';
import { notifyDone, notifyProblem } from '../../../parts/notify.tsx';
import { bytesText } from '../../../parts/number-text.ts';
import { hasEnded, WorkProgress } from '../../../parts/task-progress.tsx';
import { TimeAgo } from '../../../parts/time-ago.tsx';
import { dayText } from '../../../parts/time-text.ts';
import { t } from '../../../texts/t.ts';

const pageSize = 10;
const options = { keepPrevious: true, refetchInterval: 1500, staleTime: 0 };

/** The exports below this path of the API. */
export function ExportList({ kind }: { kind: 'dashboard-exports' | 'dashboard/excel-exports' }) {
  const [offset, setOffset] = useState(0);
  const changes = [`GET /api/${kind}`] as const;
  const found = useApi(`GET /api/${kind}`, { query: { offset, max: pageSize } }, options);
  const change = useApiWrite(`PATCH /api/${kind}/{id}`, { changes });
  const remove = useApiWrite(`DELETE /api/${kind}/{id}`, { changes });
  return (
    <List
      source={listOf(found, (page) => page.exports)}
      paging={{ offset, max: pageSize, onChange: setOffset }}
      urlOf={(id) => apiUrl(`GET /api/${kind}/{id}/download`, { path: { id } })}
      onCancel={(id) => change.mutate({ path: { id }, body: { status: 'CANCELLED' } }, { onError: notifyProblem })}
      onDelete={(id) => remove.mutateAsync({ path: { id } })}
    />
  );
}

interface Acts {
  urlOf: (id: number) => string;
  onCancel: (id: number) => void;
  onDelete: (id: number) => Promise<unknown>;
}

interface ListProps extends Acts {
  source: Source<Export>;
  paging: Paging;
}

function List({ source, paging, ...acts }: ListProps) {
  if (!source.rows || source.rows.length === 0) {
    const empty = { title: t('dashboard.exports.none'), text: t('dashboard.exports.noneText') };
    return <ListState source={source} isNarrow empty={empty} paging={paging} />;
  }
  return (
    <Stack gap="sm">
      <ReloadError source={source} />
      {source.rows.map((one) => (
        <Entry key={one.id} one={one} {...acts} />
      ))}
      <ListPages paging={paging} count={source.count ?? 0} isExact={source.countIsExact ?? true} />
    </Stack>
  );
}

function Entry({ one, urlOf, onCancel, onDelete }: Acts & { one: Export }) {
  const { id, name, status, progress, error, createdBy, dateCreated, dateExpires, sizeBytes, downloadUrl } = one;
  const [isAsking, setAsking] = useState(false);
  const facts = [one.format.toUpperCase(), sizeBytes !== undefined && bytesText(sizeBytes)].filter(Boolean).join(', ');
  return (
    <Paper withBorder p="md" role="group" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" align="start">
          <Stack gap={0} miw={0} flex={1}>
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {facts} · <TimeAgo at={dateCreated} /> {t('dashboard.exports.by', { name: actorText(createdBy) })}
            </Text>
          </Stack>
          <Group gap={4}>
            {downloadUrl && (
              <Button
                component="a"
                href={urlOf(id)}
                download
                size="compact-sm"
                variant="light"
                leftSection={<Download size={14} aria-hidden />}
                aria-label={t('dashboard.exports.downloadOf', { name })}
              >
                {t('dashboard.exports.download')}
              </Button>
            )}
            {hasEnded(status) && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                aria-label={t('dashboard.exports.deleteOf', { name })}
                onClick={() => setAsking(true)}
              >
                <Trash2 size={14} aria-hidden />
              </Button>
            )}
          </Group>
        </Group>
        {status !== 'FINISHED' && (
          <WorkProgress status={status} progress={progress} error={error} onCancel={() => onCancel(id)} />
        )}
        {status === 'FINISHED' && (
          <Text size="xs" c="dimmed">
            {downloadUrl
              ? dateExpires && t('dashboard.exports.expires', { when: dayText(dateExpires) })
              : t('dashboard.exports.expired')}
          </Text>
        )}
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('dashboard.exports.deleteTitle', { name })}
        losses={[t('dashboard.exports.deleteLoss')]}
        confirmLabel={t('dashboard.exports.delete')}
        onConfirm={async () => {
          await onDelete(id);
          notifyDone(t('dashboard.exports.deleted', { name }));
        }}
        onClose={() => setAsking(false)}
      />
    </Paper>
  );
}
