import { defineFilters, type FiltersOf, optionsOf } from '../../parts/filters.ts';
import { manyOf, text } from '../../parts/search-params.ts';
import { t } from '../../texts/t.ts';
import { roles, statuses } from './user-values.ts';

export const userFilters = defineFilters({
  query: { param: text, control: 'search', label: t('users.search'), flex: '1 1 14rem', apiParameter: 'query' },
  role: {
    param: manyOf(roles),
    control: 'choices',
    label: t('users.role'),
    any: t('users.allRoles'),
    useOptions: () => optionsOf('users.roles', roles),
    flex: '0 1 15rem',
    apiParameter: 'role',
  },
  status: {
    param: manyOf(statuses),
    control: 'choices',
    label: t('users.status'),
    any: t('users.allStatuses'),
    useOptions: () => optionsOf('users.statuses', statuses),
    flex: '0 1 12rem',
    apiParameter: 'status',
  },
} satisfies FiltersOf<'GET /api/users'>);
