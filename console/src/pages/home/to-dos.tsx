import { Button, Collapse, EmptyState, Skeleton, Stack } from '@mantine/core';
import { CircleCheck, Lightbulb } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { t, tn } from '../../texts/t.ts';
import { AlertTask, useHasAlerts } from './alert-task.tsx';
import classes from './home.module.css';
import type { HomeScope } from './home-values.ts';
import type { ToDo, ToDoKind } from './to-do.ts';
import { ToDoItem } from './to-do-item.tsx';
import { ToDoLocations } from './to-do-locations.tsx';

export function TaskSection({ scope }: { scope: HomeScope }) {
  const found = useApi('GET /api/home/tasks', { query: { ...scope, includeDismissed: true } }, { keepPrevious: true });
  return <ToDos kind="tasks" scope={scope} found={found} entries={found.data?.tasks} />;
}

export function SuggestionSection({ scope }: { scope: HomeScope }) {
  const found = useApi(
    'GET /api/home/suggestions',
    { query: { ...scope, includeDismissed: true } },
    { keepPrevious: true },
  );
  return <ToDos kind="suggestions" scope={scope} found={found} entries={found.data?.suggestions} />;
}

interface Props {
  kind: ToDoKind;
  scope: HomeScope;
  found: Pick<ReturnType<typeof useApi>, 'error' | 'refetch'>;
  entries: readonly ToDo[] | undefined;
}

function ToDos({ kind, scope, found, entries }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [looked, setLooked] = useState<ToDo>();
  const open = entries?.filter(({ dismissedUntil }) => dismissedUntil === undefined);
  const dismissed = entries?.filter(({ dismissedUntil }) => dismissedUntil !== undefined) ?? [];
  const showsAlerts = useHasAlerts() && kind === 'tasks';
  const list = (some: readonly ToDo[], first?: ReactNode) => (
    <ul className={classes.todos}>
      {first}
      {some.map((todo) => (
        <ToDoItem key={todo.type} kind={kind} todo={todo} scope={scope} onShowLocations={() => setLooked(todo)} />
      ))}
    </ul>
  );
  return (
    <Section title={t(`home.${kind}.title`)} text={t(`home.${kind}.text`)}>
      {found.error && !entries ? (
        <TryAgain error={found.error} onRetry={found.refetch} />
      ) : !open ? (
        <Skeleton height={200} />
      ) : (
        <Stack gap="md">
          {open.length > 0 || showsAlerts ? list(open, showsAlerts && <AlertTask />) : <Nothing kind={kind} />}
          {dismissed.length > 0 && (
            <div>
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                {tn('home.todo.dismissedCount', dismissed.length)}
              </Button>
              <Collapse expanded={isOpen} mt="sm">
                {list(dismissed)}
              </Collapse>
            </div>
          )}
        </Stack>
      )}
      <ToDoLocations kind={kind} scope={scope} todo={looked} onClose={() => setLooked(undefined)} />
    </Section>
  );
}

function Nothing({ kind }: { kind: ToDoKind }) {
  const icon = kind === 'tasks' ? <CircleCheck aria-hidden /> : <Lightbulb aria-hidden />;
  return (
    <EmptyState
      variant="light"
      icon={icon}
      title={t(`home.${kind}.none`)}
      description={t(`home.${kind}.noneText`)}
      py="md"
    />
  );
}
