import type { Activity } from '../activity/activity.ts';
import { type DirectoryRules, directoryRules, rulesOfType } from '../directories/directory-rules.ts';
import { RequestError } from '../http/request-error.ts';
import type { Call, Route } from '../http/router.ts';
import type { Traffic } from '../http/traffic.ts';
import type { DemoReceiver } from '../receiver/demo-receiver.ts';
import { type DataPoint, findDataPoint } from '../state/data-point-store.ts';
import { findPage, type Page } from '../state/page-store.ts';

/** A request to the control API. */
export interface ControlCall extends Call {
  activity: Activity;
  traffic: Traffic;
  receiver: DemoReceiver;
}

export type ControlRoute = Route<ControlCall>;

/** The directory in the path, the query or the body. */
export function directoryOf({ params, query, body }: ControlCall): DirectoryRules {
  const type = params.directory ?? query.get('directory') ?? body.directory;
  const rules = typeof type === 'string' ? rulesOfType(type) : undefined;
  if (rules) return rules;
  const names = directoryRules.map((entry) => entry.type).join(', ');
  if (type === undefined) throw new RequestError(400, `directory is required: one of ${names}.`);
  throw new RequestError(404, `Directory ${type} not found. Use one of ${names}.`);
}

export function requirePage(call: ControlCall, id: string, kind: Page['kind'] = 'listing'): Page {
  const rules = directoryOf(call);
  const page = findPage(call.network, rules.type, id);
  if (page?.kind === kind) return page;
  throw new RequestError(404, `${rules.name} has no ${kind === 'brand' ? 'brand page' : 'listing'} ${id}.`);
}

export function requireDataPoint(call: ControlCall): DataPoint {
  const rules = directoryOf(call);
  const point = findDataPoint(call.network, rules.type, call.params.id ?? '');
  if (point) return point;
  throw new RequestError(404, `${rules.name} has no data point ${call.params.id}.`);
}

export function textOf({ body }: ControlCall, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new RequestError(400, `${name} must be a string.`);
}

export function numberOf({ body }: ControlCall, name: string, min: number, max: number): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new RequestError(400, `${name} must be a number from ${min} to ${max}.`);
}

export function choiceOf<const Choice extends string>(
  call: ControlCall,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textOf(call, name);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new RequestError(400, `${name} must be one of ${choices.join(', ')}.`);
  return found;
}

export function timeOf(call: ControlCall, name: string): number | undefined {
  const text = textOf(call, name);
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new RequestError(400, `${name} must be a time such as 2026-07-13T09:30:00Z.`);
  return time;
}
