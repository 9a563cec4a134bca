import { useApi } from '../../api/use-api.ts';
import { actorText } from '../../parts/actor-text.ts';
import { endOfDay, startOfDay } from '../../parts/days.ts';
import { defineFilters, type FiltersOf, type Option } from '../../parts/filters.ts';
import { day, text, wholeNumber } from '../../parts/search-params.ts';
import { t } from '../../texts/t.ts';
import { audit } from './audit-texts.ts';

/** Deleted users are not in the list of users, so a typed e-mail address is an option as well. */
function useActorOptions([chosen]: readonly string[], typed: string): Option[] {
  const query = typed === actorText(chosen ?? '') ? '' : typed;
  const { data } = useApi('GET /api/users', { query: { max: 50, ...(query && { query }) } }, { keepPrevious: true });
  const emails = [...(data?.users ?? []).map(({ email }) => email), ...(query.includes('@') ? [query] : [])];
  const known = ['PRIVATE_TOKEN', 'SYSTEM', ...(chosen ? [chosen] : [])];
  const matching = known.filter((actor) => actorText(actor).toLowerCase().includes(query.toLowerCase()));
  const actors = new Set([...matching, ...emails]);
  return [...actors].map((value) => ({ value, label: actorText(value) }));
}

export const auditFilters = defineFilters({
  actor: {
    param: text,
    control: 'choice',
    label: t('audit.user'),
    any: t('audit.allUsers'),
    useOptions: useActorOptions,
    isSearchable: true,
    searchesOptions: true,
    flex: '1 1 16rem',
    apiParameter: 'actor',
  },
  subject: {
    param: text,
    control: 'choice',
    label: t('audit.subject'),
    any: t('audit.allObjects'),
    useOptions: () => Object.entries(audit.subjects).map(([value, label]) => ({ value, label })),
    isSearchable: true,
    flex: '0 1 12rem',
    resets: ['subjectId'],
    apiParameter: 'subject',
  },
  subjectId: { param: wholeNumber, label: t('audit.subject'), apiParameter: 'subjectId' },
  since: {
    param: day,
    control: 'day',
    label: t('audit.since'),
    flex: '0 1 12rem',
    apiParameter: 'since',
    toApi: (since: string | undefined) => since && startOfDay(since).toISOString(),
  },
  until: {
    param: day,
    control: 'day',
    label: t('audit.until'),
    flex: '0 1 12rem',
    apiParameter: 'until',
    toApi: (until: string | undefined) => until && endOfDay(until).toISOString(),
  },
} satisfies FiltersOf<'GET /api/audit-trail'>);
