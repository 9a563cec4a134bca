import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../api/call.ts';
import { useApi, useApiWrite } from '../api/use-api.ts';
import { t, textOrWords, tn } from '../texts/t.ts';
import { notifyProblem } from './notify.tsx';
import { numberText } from './number-text.ts';
import { TryAgain } from './try-again.tsx';

interface BarProps {
  status: string;
  /** 0 to 100 */
  progress: number;
  done?: number;
  total?: number | undefined;
  failed?: number | undefined;
  error?: string | undefined;
  onCancel?: (() => void) | undefined;
  isCancelling?: boolean;
}

export const hasEnded = (status: string): boolean => !['CREATED', 'RUNNING'].includes(status);

export function WorkProgress({ status, progress, done, total, failed = 0, error, onCancel, isCancelling }: BarProps) {
  const isOver = hasEnded(status);
  const color = colorOf(status, failed, total);
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={550} role="status">
          {textOrWords('parts.task', status)}
          {!isOver && ` · ${progress}%`}
        </Text>
        {!isOver && onCancel && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onCancel} loading={isCancelling}>
            {t('parts.task.cancel')}
          </Button>
        )}
      </Group>
      <Progress.Root size="md">
        <Progress.Section
          value={progress}
          color={color}
          data-color={color}
          animated={!isOver}
          aria-label={t('parts.task.label')}
        />
      </Progress.Root>
      {done !== undefined && total !== undefined && (
        <Text size="xs" c="dimmed">
          {t('parts.task.done', { done: numberText(done), total: numberText(total) })}
          {failed > 0 && ` · ${tn('parts.task.failed', failed)}`}
        </Text>
      )}
      {error && <Alert color="red">{error}</Alert>}
    </Stack>
  );
}

/** Finished work with failures is not shown as successful. */
function colorOf(status: string, failed: number, total: number | undefined): string | undefined {
  if (status === 'CANCELLED') return 'gray';
  if (status === 'FAILED' || (status === 'FINISHED' && failed > 0 && failed >= (total ?? 0))) return 'red';
  if (status !== 'FINISHED') return undefined;
  return failed > 0 ? 'orange' : 'teal';
}

type Task = ResponseOf<'GET /api/tasks/{id}'>;

interface Props {
  id: number;
  onEnd?: (task: Task) => void;
}

/** Polls a task every second until it ends. */
export function TaskProgress({ id, onEnd }: Props) {
  const [isOver, setOver] = useState(false);
  const found = useApi('GET /api/tasks/{id}', { path: { id } }, { refetchInterval: !isOver && 1000, staleTime: 0 });
  const task = found.data;
  const cancel = useApiWrite('POST /api/tasks/{id}/cancel', { changes: ['GET /api/tasks/{id}'] });
  useEffect(() => {
    if (!task || !hasEnded(task.status) || isOver) return;
    setOver(true);
    onEnd?.(task);
  }, [task, isOver, onEnd]);
  if (found.error && !task) return <TryAgain error={found.error} onRetry={found.refetch} />;
  if (!task) return null;
  return (
    <WorkProgress
      status={task.status}
      progress={task.progress}
      done={task.done}
      total={task.total}
      failed={task.failed}
      error={task.error}
      onCancel={() => cancel.mutate({ path: { id } }, { onError: notifyProblem })}
      isCancelling={cancel.isPending}
    />
  );
}
