import { readFileSync } from 'node:fs';
import { newestVersion, timeline } from '../versions/timeline.ts';
import { RouteWalk } from '../versions/walk.ts';
import { documentedPath } from './documented-path.ts';
import type { RouteRecord } from './route-record.ts';

/** Responses of the newest version, recorded by examples.test.ts, by method and documented path. */
export const responseExamples: Readonly<Record<string, { status: string; response: unknown }>> = JSON.parse(
  readFileSync(new URL('response-examples.json', import.meta.url), 'utf8'),
);

/** The examples were recorded for a partner with all plan features. */
const planFeatures = timeline.flatMap(({ onlyWith }) => onlyWith ?? []);

/** The response contains a JSON Schema, which spectral mistakes for a schema of the document. */
const excluded = 'GET /api/event-types/{type}';

/** The response of a route in a version; undefined if a grant changes the behaviour of the handler. */
export function responseExample({ method, path, body, responses }: RouteRecord, version: string): unknown {
  const key = `${method} ${documentedPath(path)}`;
  const recorded = key === excluded ? undefined : responseExamples[key];
  if (!recorded || version === newestVersion) return recorded;
  const walk = new RouteWalk(timeline, { method, path, body, response: responses[200]?.properties?.response });
  const client = { version, planFeatures };
  if (walk.grants(client).size > 0) return undefined;
  return { ...recorded, response: walk.downgrade(client, recorded.response) };
}
