import { Counter, type Registry } from 'prom-client';
import type { CountDeprecatedUse } from './versioned-responses.ts';

/** What old clients still use. Metrics name no partner; GET /api/deprecated-use tells each partner its own use. */
export function deprecatedUseCounter(metrics: Registry): CountDeprecatedUse {
  const counter = new Counter({
    name: 'waypost_deprecated_use_total',
    help: 'Requests with a field, a form of it or a parameter that a later version of the API has replaced.',
    labelNames: ['version', 'name'] as const,
    registers: [metrics],
  });
  return ({ apiVersion }, name) => counter.inc({ version: apiVersion, name });
}
