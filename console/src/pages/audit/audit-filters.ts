import { defineFilters, type FiltersOf } from '../../parts/filters.ts';
import { day, text, wholeNumber } from '../../parts/search-params.ts';
import { t } from '../../texts/t.ts';
import { audit } from './audit-texts.ts';

/** In the time zone of the browser. */
const startOfDay = (date: string) => new Date(`${date}T00:00:00`).toISOString();
const endOfDay = (date: string) => new Date(`${date}T23:59:59.999`).toISOString();

export const auditFilters = defineFilters({
  actor: { param: text, control: 'search', label: t('audit.actor'), flex: '1 1 16rem', apiParameter: 'actor' },
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
    toApi: (since: string | undefined) => since && startOfDay(since),
  },
  until: {
    param: day,
    control: 'day',
    label: t('audit.until'),
    flex: '0 1 12rem',
    apiParameter: 'until',
    toApi: (until: string | undefined) => until && endOfDay(until),
  },
} satisfies FiltersOf<'GET /api/audit-trail'>);
