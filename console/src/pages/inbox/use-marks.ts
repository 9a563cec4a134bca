import { useHasPermission } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyProblem } from '../../parts/notify.tsx';
import type { Datapoint } from './inbox-values.ts';
import { useShowAsNow } from './use-inbox.ts';

type Marks = Pick<Datapoint, 'read' | 'liked' | 'flagged'>;

export function useMarks() {
  const mayWrite = useHasPermission('INBOX_WRITE');
  const showAsNow = useShowAsNow();
  const change = useApiWrite('PATCH /api/data-points/{id}', { onSuccess: showAsNow });
  return {
    mayWrite,
    mark: (id: number, marks: Partial<Marks>) => {
      if (mayWrite) change.mutate({ path: { id }, body: marks }, { onError: notifyProblem });
    },
  };
}
