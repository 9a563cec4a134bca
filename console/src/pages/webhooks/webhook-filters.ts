import { defineFilters, optionsOf } from '../../parts/filters.ts';
import { manyOf, text } from '../../parts/search-params.ts';
import { t } from '../../texts/t.ts';
import { healthStates } from './webhook-values.ts';

/** All webhooks are loaded; the page filters them. */
export const webhookFilters = defineFilters({
  query: { param: text, control: 'search', label: t('webhooks.search'), flex: '1 1 14rem' },
  health: {
    param: manyOf(healthStates),
    control: 'choices',
    label: t('webhooks.health'),
    any: t('webhooks.anyHealth'),
    useOptions: () => optionsOf('webhooks.states', healthStates),
    flex: '0 1 14rem',
  },
});
