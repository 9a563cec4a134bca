import { Button, Group, Paper, Text } from '@mantine/core';
import { Check, Lightbulb } from 'lucide-react';
import { createContext, useContext, useMemo } from 'react';
import type { Suggestion } from '../../../api/api-types.ts';
import { useHasPermission } from '../../../api/session.ts';
import { useApi, useApiWrite } from '../../../api/use-api.ts';
import { notifyDone, notifyProblem } from '../../../parts/notify.tsx';
import { useDirectoryName } from '../../../parts/use-directories.ts';
import { t, textOrWords } from '../../../texts/t.ts';
import { valueText } from '../value-text.ts';
import classes from './profile.module.css';
import { type Field, useDraft } from './profile-draft.ts';

const SuggestionsContext = createContext<readonly Suggestion[]>([]);
export const SuggestionsProvider = SuggestionsContext.Provider;

/** Open suggestions. */
export function usePendingSuggestions(locationId: number): readonly Suggestion[] {
  const { data } = useApi(
    'GET /api/locations/{id}/suggestions',
    { path: { id: locationId }, query: { status: ['PENDING'], max: 100 } },
    { refetchInterval: 15_000 },
  );
  return useMemo(() => data?.suggestions ?? [], [data]);
}

export function FieldSuggestions({ field }: { field: Field }) {
  const suggestions = useContext(SuggestionsContext).filter((suggestion) => suggestion.field === field);
  return suggestions.map((suggestion) => <OneSuggestion key={suggestion.id} suggestion={suggestion} field={field} />);
}

function OneSuggestion({ suggestion, field }: { suggestion: Suggestion; field: Field }) {
  const nameOf = useDirectoryName();
  const mayDecide = useHasPermission('LOCATION_WRITE');
  const { mayWrite, changed } = useDraft();
  const { id, locationId, directoryType, suggestedValue } = suggestion;
  const directory = nameOf(directoryType);
  const decide = useApiWrite('PUT /api/locations/{id}/suggestions', {
    changes: [
      'GET /api/locations/{id}/suggestions',
      'GET /api/locations/{id}',
      'GET /api/locations/{id}/completeness',
      'GET /api/locations/{id}/history',
      'GET /api/locations',
    ],
  });
  const setStatus = (status: 'ACCEPTED' | 'DECLINED', apply = false) =>
    decide.mutate(
      { path: { id: locationId }, body: [{ id, status, ...(apply && { apply }) }] },
      {
        onSuccess: () => {
          const said = apply ? 'applied' : status === 'ACCEPTED' ? 'accepted' : 'declined';
          notifyDone(t(`locations.suggestions.${said}`, { directory }));
        },
        onError: notifyProblem,
      },
    );
  const label = textOrWords('locations.fields', field);
  return (
    <Paper
      className={classes.suggestion}
      p="xs"
      role="group"
      aria-label={t('locations.suggestions.of', { field: label })}
    >
      <Group gap="xs" justify="space-between" align="start">
        <Group gap={8} wrap="nowrap" align="start" miw={0} flex="1 1 14rem">
          <Lightbulb size={16} aria-hidden className={classes.bulb} />
          <Text size="sm" className={classes.suggested}>
            {t('locations.suggestions.shows', { directory })}
            {'\n'}
            <strong>{valueText(field, suggestedValue)}</strong>
          </Text>
        </Group>
        {mayDecide && (
          <Group gap={4}>
            {mayWrite(field) && (
              <Button
                size="compact-xs"
                variant="light"
                leftSection={<Check size={14} aria-hidden />}
                loading={decide.isPending}
                disabled={changed.includes(field)}
                onClick={() => setStatus('ACCEPTED', true)}
              >
                {t('locations.suggestions.apply')}
              </Button>
            )}
            <Button
              size="compact-xs"
              variant="subtle"
              title={t('locations.suggestions.acceptHint')}
              disabled={decide.isPending}
              onClick={() => setStatus('ACCEPTED')}
            >
              {t('locations.suggestions.accept')}
            </Button>
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              disabled={decide.isPending}
              onClick={() => setStatus('DECLINED')}
            >
              {t('locations.suggestions.decline')}
            </Button>
          </Group>
        )}
      </Group>
    </Paper>
  );
}
