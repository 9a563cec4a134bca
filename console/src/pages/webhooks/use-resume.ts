import { useApiWrite } from '../../api/use-api.ts';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { t, tn } from '../../texts/t.ts';
import { deliveryReads, webhookReads } from './webhook-values.ts';

const changes = [...webhookReads, ...deliveryReads, 'GET /api/sales-partners/webhooks/{id}/replays'] as const;

export type Resume = ReturnType<typeof useResume>;

/** Sends now, ignoring the breaker pause and the retry schedule. */
export function useResume(id: number) {
  const resume = useApiWrite('POST /api/sales-partners/webhooks/{id}/resume', {
    changes,
    onSuccess: ({ dueNow }) => notifyDone(tn('webhook.resumed', dueNow)),
  });
  const retryFailed = useApiWrite('POST /api/sales-partners/webhooks/{id}/retry-failed', {
    changes,
    onSuccess: ({ dueNow, replay }) => {
      const sent = [
        dueNow > 0 && tn('webhook.retryingFailed.waiting', dueNow),
        replay && tn('webhook.retryingFailed.discarded', replay.total),
      ].filter(Boolean);
      notifyDone(sent.length > 0 ? sent.join(' ') : t('webhook.retryingFailed.none'));
    },
  });
  const request = { path: { id } };
  return {
    resume: () => resume.mutate(request, { onError: notifyProblem }),
    isResuming: resume.isPending,
    retryFailed: () => retryFailed.mutate(request, { onError: notifyProblem }),
    isRetrying: retryFailed.isPending,
  };
}
