import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone, notifyProblem, notifyUndoable } from '../../parts/notify.tsx';
import { dayText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import type { ToDo, ToDoKind } from './to-do.ts';

export function useDismissal(kind: ToDoKind, { type, title }: ToDo) {
  const changes = [`GET /api/home/${kind}`] as const;
  const dismissing = useApiWrite(`POST /api/home/${kind}/dismiss`, { changes });
  const undoing = useApiWrite(`DELETE /api/home/${kind}/dismiss`, { changes });
  const showAgain = () =>
    undoing.mutate(
      { query: { type: type as never } },
      { onSuccess: () => notifyDone(t('home.todo.back', { title })), onError: notifyProblem },
    );
  return {
    isBusy: dismissing.isPending || undoing.isPending,
    showAgain,
    dismiss: async (until: string) => {
      await dismissing.mutateAsync({ body: { type: type as never, until } });
      notifyUndoable(t('home.todo.dismissed', { title, day: dayText(until) }), t('home.todo.undo'), showAgain);
    },
  };
}
