import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { ArrowRight, RotateCcw } from 'lucide-react';
import { dayText } from '../../parts/time-text.ts';
import { t, tn } from '../../texts/t.ts';
import { useLinks, useOpenList } from './destinations.ts';
import { DismissMenu } from './dismiss-menu.tsx';
import classes from './home.module.css';
import type { HomeScope } from './home-values.ts';
import type { ToDo, ToDoKind } from './to-do.ts';
import { useDismissal } from './use-dismissal.ts';

interface Props {
  kind: ToDoKind;
  todo: ToDo;
  scope: HomeScope;
  onShowLocations: () => void;
}

const colors = { HIGH: 'red', MEDIUM: 'orange', LOW: 'gray' } as const;

export function ToDoItem({ kind, todo, scope, onShowLocations }: Props) {
  const { priority, title, whatToDo, locationsCount, dismissedUntil } = todo;
  const link = useLinks()(todo);
  const list = useOpenList(kind, todo, scope, onShowLocations);
  const { showAgain, isBusy } = useDismissal(kind, todo);
  const locations = tn('home.todo.locations', locationsCount);
  return (
    <li className={classes.todo}>
      <Stack gap={4}>
        <Group gap="xs">
          <Text fw={600}>{title}</Text>
          {dismissedUntil === undefined && (
            <Badge color={colors[priority]} size="sm">
              {t(`home.todo.priority.${priority}`)}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {whatToDo}
        </Text>
        <div className={classes.todoEnd}>
          <Group gap="sm">
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={onShowLocations}
              aria-label={t('home.todo.showLocations', { title, locations })}
            >
              {locations}
            </Anchor>
            {dismissedUntil !== undefined && (
              <Text size="sm" c="dimmed">
                {t('home.todo.until', { day: dayText(dismissedUntil) })}
              </Text>
            )}
          </Group>
          <Group gap={4}>
            {dismissedUntil !== undefined ? (
              <Button
                variant="default"
                size="compact-sm"
                leftSection={<RotateCcw size={14} aria-hidden />}
                loading={isBusy}
                aria-label={t('home.todo.showAgainOf', { title })}
                onClick={showAgain}
              >
                {t('home.todo.showAgain')}
              </Button>
            ) : (
              <>
                {link && (
                  <Button
                    variant="light"
                    size="compact-sm"
                    loading={list.isBusy}
                    aria-label={t('home.todo.goOf', { title, go: t(`home.todo.go.${link.go}`) })}
                    onClick={() => void list.open(link)}
                    rightSection={<ArrowRight size={14} aria-hidden />}
                  >
                    {t(`home.todo.go.${link.go}`)}
                  </Button>
                )}
                <DismissMenu kind={kind} todo={todo} />
              </>
            )}
          </Group>
        </div>
      </Stack>
    </li>
  );
}
