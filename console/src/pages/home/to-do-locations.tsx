import { Drawer, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { t } from '../../texts/t.ts';
import { useLocationLink } from './destinations.ts';
import type { HomeScope } from './home-values.ts';
import type { ToDo, ToDoKind } from './to-do.ts';

interface Props {
  kind: ToDoKind;
  scope: HomeScope;
  todo: ToDo | undefined;
  onClose: () => void;
}

export function ToDoLocations({ todo, onClose, ...rest }: Props) {
  return (
    <Drawer
      opened={todo !== undefined}
      onClose={onClose}
      title={todo && t('home.todo.locationsTitle', { title: todo.title })}
    >
      {todo && <Locations key={todo.type} todo={todo} {...rest} />}
    </Drawer>
  );
}

const pageSize = 25;

function Locations({ kind, scope, todo }: Omit<Props, 'todo' | 'onClose'> & { todo: ToDo }) {
  const [offset, setOffset] = useState(0);
  const locationLink = useLocationLink();
  const query = { ...scope, type: todo.type as never, includeDismissed: true, page: offset / pageSize, size: pageSize };
  const affected = useApi(`GET /api/home/${kind}/locations`, { query }, { keepPrevious: true });
  const ids = affected.data?.locationIds ?? [];
  const locations = useApi(
    'GET /api/locations',
    { query: { ids, max: pageSize, fieldMask: ['name', 'street', 'city'] } },
    { enabled: ids.length > 0, keepPrevious: true },
  );
  const source = listOf(locations, (page) => page.locations);
  type ListedLocation = NonNullable<typeof source.rows>[number];
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {todo.whatToDo}
      </Text>
      <DataList
        label={t('home.todo.locationsTitle', { title: todo.title })}
        source={{
          ...source,
          count: affected.data?.count,
          error: affected.error ?? locations.error,
          refetch: affected.error ? affected.refetch : locations.refetch,
          isPending: affected.isPending || (ids.length > 0 && locations.isPending),
          rows: affected.data && ids.length === 0 ? [] : source.rows,
        }}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'name',
            sortValue: ({ name = '' }) => name,
            title: t('home.todo.locationName'),
            render: ({ name, street, city }) => (
              <TwoLines below={[street, city].filter(Boolean).join(', ')}>{name}</TwoLines>
            ),
          },
        ]}
        {...(locationLink && { open: { to: ({ id }: ListedLocation) => locationLink(id) } })}
        paging={{ offset, max: pageSize, onChange: setOffset }}
        empty={{ title: t('home.todo.locationsNone') }}
      />
    </Stack>
  );
}
