import { readFileSync } from 'node:fs';
import { newestVersion, timeline } from '../versions/timeline.ts';
import { RouteWalk } from '../versions/walk.ts';
import { documentedPath } from './documented-path.ts';
import type { RouteRecord } from './route-record.ts';

/** Successes of the newest version as examples.test.ts recorded them, by method and documented path. */
export const responseExamples: Readonly<Record<string, { status: string; response: unknown }>> = JSON.parse(
  readFileSync(new URL('response-examples.json', import.meta.url), 'utf8'),
);

/** They were recorded for a partner to whom every entry of the change record has come. */
const planFeatures = timeline.flatMap(({ onlyWith }) => onlyWith ?? []);

/** Its response has a JSON Schema and an example in it, which spectral takes for a schema of the document. */
const leftOut = 'GET /api/event-types/{type}';

/** The success of a route as a client of a version gets it; none where a grant lets the handler respond otherwise. */
export function responseExample({ method, path, body, answers }: RouteRecord, version: string): unknown {
  const key = `${method} ${documentedPath(path)}`;
  const recorded = key === leftOut ? undefined : responseExamples[key];
  if (!recorded || version === newestVersion) return recorded;
  const walk = new RouteWalk(timeline, { method, path, body, response: answers[200]?.properties?.response });
  const client = { version, planFeatures };
  if (walk.grants(client).size > 0) return undefined;
  return { ...recorded, response: walk.downgrade(client, recorded.response) };
}
