import { Badge, Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../api/api-types.ts';
import { useSession } from '../../api/session.ts';
import { useApi } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { UserDrawer } from './user-drawer.tsx';
import { userFilters } from './user-filters.ts';
import { isBounded, userSorts } from './user-values.ts';

const route = getRouteApi('/shell/settings/users');
const pageSize = 50;

export function UsersPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { sort = 'name', order, offset = 0 } = search;
  const { user: self } = useSession();
  const [edited, setEdited] = useState<User | 'new'>();
  const found = useApi(
    'GET /api/users',
    { query: { ...userFilters.query(search), sort, order, offset, max: pageSize } },
    { keepPrevious: true },
  );
  const add = (
    <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {t('users.add')}
    </Button>
  );
  return (
    <>
      <DataList
        label={t('users.title')}
        source={listOf(found, (page) => page.users)}
        columns={columnsFor(self.id)}
        rowKey={({ id }) => id}
        open={{ run: setEdited }}
        filters={
          <Group gap="sm">
            <FilterControls filters={userFilters} search={search} onChange={change} />
            {add}
          </Group>
        }
        isFiltered={userFilters.isFiltered(search)}
        onClearFilters={() => change(userFilters.none)}
        sort={{ by: sort, isDescending: order === 'DESC' }}
        onSort={({ by, isDescending }) =>
          change({ sort: userSorts.find((key) => key === by), order: isDescending ? 'DESC' : undefined })
        }
        paging={{ offset, max: pageSize, onChange: (next) => change({ offset: next }) }}
        empty={{ title: t('users.none'), text: t('users.noneText'), icon: <Users aria-hidden />, action: add }}
      />
      <UserDrawer user={edited} onClose={() => setEdited(undefined)} />
    </>
  );
}

const columnsFor = (selfId: number): Column<User>[] => [
  {
    key: 'name',
    title: t('users.name'),
    isSortable: true,
    render: ({ id, name, email }) => (
      <TwoLines below={name && email}>
        <Group gap={6}>
          {name || email}
          {id === selfId && (
            <Badge size="xs" color="gray">
              {t('users.you')}
            </Badge>
          )}
        </Group>
      </TwoLines>
    ),
  },
  { key: 'role', title: t('users.role'), isSortable: true, render: ({ role }) => textOrWords('users.roles', role) },
  { key: 'access', title: t('users.access'), render: accessText },
  {
    key: 'status',
    title: t('users.status'),
    isSortable: true,
    onCard: 'aside',
    render: ({ status }) => (
      <StatusBadge tone={status === 'ACTIVE' ? 'good' : 'neutral'}>{textOrWords('users.statuses', status)}</StatusBadge>
    ),
  },
  {
    key: 'lastLogin',
    title: t('users.lastLogin'),
    isSortable: true,
    render: ({ lastLogin }) => <TimeAgo at={lastLogin} />,
  },
];

function accessText({ role, businessIds, locationIds }: User): string {
  if (!isBounded(role)) return t('users.accessAll');
  const parts = [
    businessIds.length > 0 ? tn('users.accessBusinesses', businessIds.length) : [],
    locationIds.length > 0 ? tn('users.accessLocations', locationIds.length) : [],
  ].flat();
  return parts.length > 0 ? parts.join(', ') : t('users.accessNone');
}
