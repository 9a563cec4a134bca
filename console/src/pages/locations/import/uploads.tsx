import { getRouteApi } from '@tanstack/react-router';
import { useApi } from '../../../api/use-api.ts';
import { listOf } from '../../../parts/data-list/column.ts';
import { DataList } from '../../../parts/data-list/data-list.tsx';
import { numberText } from '../../../parts/number-text.ts';
import { Section } from '../../../parts/section.tsx';
import { StatusBadge, type Tone } from '../../../parts/status-badge.tsx';
import { TimeAgo } from '../../../parts/time-ago.tsx';
import { useSearchChange } from '../../../parts/use-search-change.ts';
import { t, textOrWords } from '../../../texts/t.ts';
import { actorText } from '../../audit/audit-filters.ts';

const route = getRouteApi('/shell/locations/import');

const tones: Record<string, Tone> = { CREATED: 'busy', RUNNING: 'busy', FINISHED: 'good', FAILED: 'bad' };
/** A finished import with failed rows is not shown as successful. */
const toneOf = ({ status, failed, rows }: { status: string; failed: number; rows: number }): Tone => {
  if (status === 'FINISHED' && failed > 0) return failed === rows ? 'bad' : 'warning';
  return tones[status] ?? 'neutral';
};

const pageSize = 20;

interface Props {
  chosen: number | undefined;
  onChoose: (id: number) => void;
}

export function Uploads({ chosen, onChoose }: Props) {
  const { offset = 0 } = route.useSearch();
  const change = useSearchChange<{ offset?: number; upload?: number }>();
  const found = useApi('GET /api/location-imports', { query: { offset, max: pageSize } }, { keepPrevious: true });
  return (
    <Section title={t('imports.earlier')}>
      <DataList
        label={t('imports.earlier')}
        source={listOf(found, (page) => page.locationImports)}
        rowKey={({ id }) => id}
        open={{ run: ({ id }) => onChoose(id) }}
        columns={[
          {
            key: 'fileName',
            sortValue: ({ fileName }) => fileName,
            title: t('imports.file'),
            render: ({ fileName }) => fileName,
          },
          {
            key: 'status',
            sortValue: ({ status }) => status,
            title: t('imports.status'),
            onCard: 'aside',
            render: (upload) => (
              <StatusBadge tone={toneOf(upload)}>{textOrWords('parts.task', upload.status)}</StatusBadge>
            ),
          },
          {
            key: 'rows',
            sortValue: ({ rows }) => rows,
            title: t('imports.rows'),
            align: 'right',
            render: ({ rows }) => numberText(rows),
          },
          {
            key: 'created',
            sortValue: ({ created }) => created,
            title: t('imports.created'),
            align: 'right',
            render: ({ created }) => numberText(created),
          },
          {
            key: 'updated',
            sortValue: ({ updated }) => updated,
            title: t('imports.updated'),
            align: 'right',
            render: ({ updated }) => numberText(updated),
          },
          {
            key: 'failed',
            sortValue: ({ failed }) => failed,
            title: t('imports.failed'),
            align: 'right',
            render: ({ failed }) => numberText(failed),
          },
          {
            key: 'by',
            sortValue: ({ createdBy }) => actorText(createdBy),
            title: t('imports.by'),
            render: ({ createdBy }) => actorText(createdBy),
          },
          {
            key: 'when',
            sortValue: ({ dateCreated }) => dateCreated,
            title: t('imports.when'),
            render: ({ dateCreated }) => <TimeAgo at={dateCreated} />,
          },
        ]}
        paging={{
          offset,
          max: pageSize,
          onChange: (next) => change({ offset: next, ...(chosen !== undefined && { upload: chosen }) }),
        }}
        empty={{ title: t('imports.none'), text: t('imports.noneText') }}
      />
    </Section>
  );
}
