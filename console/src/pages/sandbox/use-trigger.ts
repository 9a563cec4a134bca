import { useState } from 'react';
import { ApiProblem } from '../../api/api-problem.ts';
import { call } from '../../api/call.ts';
import type { Trigger } from './trigger.ts';

export function useTrigger(concerns: Trigger['concerns'], onTriggered: (trigger: Trigger) => void) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (listingId: number, work: () => Promise<string>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { events } = await call('GET /api/events', { query: { max: 1 } });
      const lastEventId = events[0]?.id ?? 0;
      const at = Date.now();
      const text = await work();
      onTriggered({ key: `${at}`, at, text, listingId, concerns, lastEventId });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error.message);
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, problem };
}
