import { Counter, type Registry } from 'prom-client';
import type { CountOldUse } from './versioned-answers.ts';

/** Who still uses what: an operator sees whom to tell before anything old could ever go. */
export function oldUseCounter(metrics: Registry): CountOldUse {
  const counter = new Counter({
    name: 'waypost_deprecated_use_total',
    help: 'Requests with a field, a form of it or a parameter that a later version of the API has replaced.',
    labelNames: ['partner', 'version', 'name'] as const,
    registers: [metrics],
  });
  return ({ caller, apiVersion }, name) =>
    counter.inc({ partner: caller?.partnerIdentifier ?? 'nobody', version: apiVersion, name });
}
