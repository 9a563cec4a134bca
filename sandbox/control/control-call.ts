import { type DirectoryRules, directoryRules, rulesOfType } from '../directories/directory-rules.ts';
import { Refusal } from '../http/refusal.ts';
import type { Call, Route } from '../http/router.ts';
import type { Traffic } from '../http/traffic.ts';
import type { Life } from '../life/life.ts';
import type { DemoReceiver } from '../receiver/demo-receiver.ts';
import { type DataPoint, findDataPoint } from '../state/data-point-store.ts';
import { findPage, type Page } from '../state/page-store.ts';

/** Somebody says what shall happen. */
export interface ControlCall extends Call {
  life: Life;
  traffic: Traffic;
  receiver: DemoReceiver;
}

export type ControlRoute = Route<ControlCall>;

/** By the path, the query or the body, wherever it was named. */
export function directoryOf({ params, query, body }: ControlCall): DirectoryRules {
  const type = params.directory ?? query.get('directory') ?? body.directory;
  const rules = typeof type === 'string' ? rulesOfType(type) : undefined;
  if (rules) return rules;
  const names = directoryRules.map((entry) => entry.type).join(', ');
  throw new Refusal(
    404,
    type === undefined ? `Name a directory: ${names}.` : `There is no directory ${type}. There are ${names}.`,
  );
}

export function pageNamed(call: ControlCall, id: string, kind: Page['kind'] = 'listing'): Page {
  const rules = directoryOf(call);
  const page = findPage(call.network, rules.type, id);
  if (page?.kind === kind) return page;
  throw new Refusal(404, `${rules.name} has no ${kind === 'brand' ? 'page of a brand' : 'listing'} ${id}.`);
}

export function dataPointNamed(call: ControlCall): DataPoint {
  const rules = directoryOf(call);
  const point = findDataPoint(call.network, rules.type, call.params.id ?? '');
  if (point) return point;
  throw new Refusal(404, `${rules.name} has no data point ${call.params.id}.`);
}

export function textOf({ body }: ControlCall, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new Refusal(400, `${name} must be a text.`);
}

export function numberOf({ body }: ControlCall, name: string, least: number, most: number): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new Refusal(400, `${name} must be a number from ${least} to ${most}.`);
}

export function choiceOf<const Choice extends string>(
  call: ControlCall,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textOf(call, name);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new Refusal(400, `${name} must be one of ${choices.join(', ')}.`);
  return found;
}

export function timeOf(call: ControlCall, name: string): number | undefined {
  const text = textOf(call, name);
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Refusal(400, `${name} must be a time such as 2026-07-13T09:30:00Z.`);
  return time;
}
