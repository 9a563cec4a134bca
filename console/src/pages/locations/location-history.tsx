import { Badge, Group } from '@mantine/core';
import { History } from 'lucide-react';
import { useInfiniteList } from '../../api/use-api.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t, textOrWords } from '../../texts/t.ts';

export function LocationHistory({ locationId }: { locationId: number }) {
  const changes = useInfiniteList('GET /api/locations/{id}/history', 'changes', { path: { id: locationId } });
  return (
    <DataList
      label={t('locations.history.title')}
      source={changes}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'changedBy',
          sortValue: ({ changedBy }) => changedBy,
          title: t('locations.history.by'),
          render: ({ changedBy }) => textOrWordsOfPerson(changedBy),
        },
        {
          key: 'fields',
          title: t('locations.history.fields'),
          width: '60%',
          render: ({ fields }) => (
            <Group gap={4}>
              {fields.map((field) => (
                <Badge key={field} color="gray">
                  {textOrWords('locations.fields', field)}
                </Badge>
              ))}
            </Group>
          ),
        },
        {
          key: 'changedAt',
          sortValue: ({ changedAt }) => changedAt,
          title: t('locations.history.when'),
          render: ({ changedAt }) => <TimeAgo at={changedAt} />,
        },
      ]}
      empty={{
        title: t('locations.history.none'),
        text: t('locations.history.noneText'),
        icon: <History aria-hidden />,
      }}
    />
  );
}

const textOrWordsOfPerson = (by: string): string =>
  by.includes('@') ? by : textOrWords('locations.history.others', by);
