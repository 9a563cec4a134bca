import { Button, Group, Paper, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/api-problem.ts';
import { useApiWrite } from '../../../api/use-api.ts';
import { FormProblem } from '../../../parts/form-problems.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { t, tn } from '../../../texts/t.ts';
import { goToField } from './completeness.tsx';
import classes from './profile.module.css';
import { type Field, shownFields, useDraft } from './profile-draft.ts';

export function SaveBar() {
  const queries = useQueryClient();
  const draft = useDraft();
  const { location, changed } = draft;
  const [problem, setProblem] = useState<string>();
  const save = useApiWrite('PATCH /api/locations/{id}', {
    changes: [
      'GET /api/locations/{id}',
      'GET /api/locations/{id}/completeness',
      'GET /api/locations/{id}/history',
      'GET /api/locations',
      'GET /api/labels',
    ],
    // The fields show the saved values even if the refetch fails. One render, so that they do not show the earlier ones.
    onSuccess: (saved, { path, body = {} }) =>
      notifyManager.batch(() => {
        queries.setQueryData(['GET /api/locations/{id}', { path }], saved);
        notifyManager.schedule(() => draft.settle(body));
      }),
  });
  const refuse = (error: ApiProblem) => {
    const rest = draft.refuse(error);
    setProblem(rest ?? t('locations.save.refused'));
    const field = error.fields[0]?.field.split(/[.[]/, 1)[0];
    if (field && field in shownFields) goToField(field as Field);
  };
  const submit = () => {
    setProblem(undefined);
    const body = draft.patch();
    save
      .mutateAsync({ path: { id: location.id }, body })
      .then(() => notifyDone(t('locations.save.saved', { name: location.name ?? '' })))
      .catch(refuse);
  };
  useHotkeys([['mod+S', () => changed.length > 0 && !save.isPending && submit()]], []);
  if (changed.length === 0) return null;
  return (
    <Paper withBorder p="sm" className={classes.saveBar} role="region" aria-label={t('locations.save.label')}>
      {problem && <FormProblem message={problem} />}
      <Group justify="space-between" gap="sm" mt={problem ? 'sm' : 0}>
        <Text size="sm" fw={550} role="status">
          {tn('locations.save.changes', changed.length)}
        </Text>
        <Group gap="xs">
          <Button
            variant="default"
            onClick={() => {
              setProblem(undefined);
              draft.discard();
            }}
          >
            {t('locations.save.discard')}
          </Button>
          <Button onClick={submit} loading={save.isPending} aria-keyshortcuts="Control+S">
            {t('locations.save.save')}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
