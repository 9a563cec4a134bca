import type { Schema } from '../../json-schema.ts';
import { type FieldError, Problem, renameField } from '../../problems.ts';
import {
  type CallChange,
  type Client,
  type Grant,
  isBefore,
  isShape,
  type Shape,
  type ShapeChange,
  type VersionChange,
  without,
} from './version-change.ts';

interface RouteShapes {
  method: string;
  path: string;
  body?: unknown;
  response?: unknown;
}

/** A deprecated, removed or unsupported part of a request. */
export interface VersionNotice {
  /**
   * OLD and OLD_FORM: accepted, deprecated. IGNORED: removed in the requested version. NOT_YET: added in a later version.
   * LOST: `name` is a warning about data that was not stored.
   */
  kind: 'OLD' | 'OLD_FORM' | 'IGNORED' | 'NOT_YET' | 'LOST';
  name: string;
  /** The replacement or requirement, for the message. */
  now: string;
  version: string;
}

type Report = (use: VersionNotice) => void;

interface Step extends Pick<VersionChange, 'version' | 'onlyWith'> {
  shapes: readonly { change: ShapeChange; body: readonly RecordPath[]; response: readonly RecordPath[] }[];
  calls: readonly CallChange[];
}

const nothing: ReadonlySet<Grant> = new Set();

/** Upgrades requests of a route to the newest version, and downgrades its responses to the requested version. */
export class RouteWalk {
  readonly #timeline: readonly VersionChange[];
  readonly #route: RouteShapes;
  #steps: { upwards: readonly Step[]; downwards: readonly Step[] } | undefined;

  constructor(timeline: readonly VersionChange[], route: RouteShapes) {
    this.#timeline = timeline;
    this.#route = route;
  }

  /** The changes of this route, oldest first and newest first. Searched at its first request: a start has all routes. */
  get #changes(): { upwards: readonly Step[]; downwards: readonly Step[] } {
    if (!this.#steps) {
      const upwards = stepsOf(this.#timeline, this.#route);
      this.#steps = { upwards, downwards: upwards.toReversed() };
    }
    return this.#steps;
  }

  upgrade(client: Client, request: { query: Shape; body: unknown }, report: Report): { query: Shape; body: unknown } {
    let { query, body } = request;
    for (const step of this.#changes.upwards) {
      const isOld = isBefore(client, step);
      for (const change of step.calls) {
        if (!isOld) rejectRemovedNames(change, query, step);
        else removedNamesIn(change, query, step, isOld, report);
        if (isOld) query = change.upgradeQuery?.(query) ?? query;
        if (isOld && change.upgradeBody && body) body = change.upgradeBody(body as Shape);
      }
      for (const { change, body: paths } of step.shapes) {
        if (!isOld && !change.replaced) continue;
        for (const path of paths) {
          body = mapAt(body, path, (shape) => upgradeShape(shape, change, step, isOld, report));
        }
      }
    }
    return { query, body };
  }

  grants(client: Client): ReadonlySet<Grant> {
    const granted = this.#changes.upwards.flatMap((step) =>
      step.calls.flatMap((change) => (change.granted && isBefore(client, step) ? change.granted : [])),
    );
    return granted.length > 0 ? new Set(granted) : nothing;
  }

  /** Errors with the field names of the version of the client. */
  downgradeErrors(client: Client, errors: readonly FieldError[]): readonly FieldError[] {
    let renamed = errors;
    for (const step of this.#changes.downwards) {
      if (!isBefore(client, step)) continue;
      for (const change of [...step.shapes.map((shape) => shape.change), ...step.calls]) {
        const names = formerNames(change);
        if (names.size > 0) renamed = renamed.map((error) => renamedError(error, names));
      }
      for (const { change } of step.shapes) {
        const { oldPath } = change;
        if (oldPath) renamed = renamed.map((error) => renameField(error, oldPath(error.field)));
      }
    }
    return renamed;
  }

  downgrade(client: Client, response: unknown): unknown {
    let result = response;
    for (const step of this.#changes.downwards) {
      if (!isBefore(client, step)) continue;
      for (const { change, response: paths } of step.shapes) {
        const { downgrade } = change;
        if (downgrade) for (const path of paths) result = mapAt(result, path, downgrade);
      }
      for (const { downgradeResponse: map } of step.calls) if (map) result = map(result as Shape);
    }
    return result;
  }
}

/** Old names by new names, where the replacement is one-to-one. */
function formerNames({ replaced = {} }: ShapeChange | CallChange): Map<string, string> {
  const sole = Object.entries(replaced).filter(
    ([, now], _index, all) => all.filter(([, other]) => other === now).length === 1,
  );
  return new Map(sole.map(([old, now]) => [now, old]));
}

function upgradeShape(shape: Shape, change: ShapeChange, step: Step, isOld: boolean, report: Report): Shape {
  const names = removedNamesIn(change, shape, step, isOld, report);
  if (!isOld) return strip(shape, names);
  const { version } = step;
  for (const [name, { before, now, isOld: isOldForm }] of Object.entries(change.reshaped ?? {})) {
    if (Object.hasOwn(shape, name) && isOldForm(shape[name], shape)) {
      report({ kind: 'OLD_FORM', name: `${name} ${before}`, now, version });
    }
  }
  const early = (change.ignoredForOldClients ?? []).filter((name) => Object.hasOwn(shape, name));
  const now = step.onlyWith ? `a product plan with ${step.onlyWith}` : 'a newer version';
  for (const name of early) report({ kind: 'NOT_YET', name: `${name} of ${change.resource}`, now, version });
  const lost = change.lossWarning?.(shape);
  if (lost !== undefined) report({ kind: 'LOST', name: lost, now: '', version });
  const known = strip(shape, early);
  return change.upgrade?.(known) ?? known;
}

function stepsOf(timeline: readonly VersionChange[], { method, path, body = {}, response = {} }: RouteShapes): Step[] {
  const resources = new Set(timeline.flatMap(({ shapes = [] }) => shapes.map(({ resource }) => resource)));
  const inBody = recordPathsIn(body, resources);
  const inResponse = recordPathsIn(response, resources);
  const name = `${method} ${path}`;
  return timeline
    .map(({ version, onlyWith, shapes = [], calls = [] }) => ({
      version,
      ...(onlyWith !== undefined && { onlyWith }),
      shapes: shapes
        .map((change) => ({
          change,
          body: inBody.get(change.resource) ?? [],
          response: inResponse.get(change.resource) ?? [],
        }))
        .filter(({ body, response }) => body.length + response.length > 0),
      calls: calls.filter(({ call }) => call === name),
    }))
    .filter(({ shapes, calls }) => shapes.length + calls.length > 0);
}

/** Rejected, because an ignored filter would return everything. */
function rejectRemovedNames({ replaced = {} }: CallChange, query: Shape, { version }: Step): void {
  const errors = Object.entries(replaced).flatMap(([field, now]) =>
    Object.hasOwn(query, field)
      ? [{ field, rule: 'known', message: `${field} was removed in _${version}. Use ${now}.` }]
      : [],
  );
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}

/** The removed names in use, which are reported as deprecated or ignored. */
function removedNamesIn(
  change: ShapeChange | CallChange,
  shape: Shape,
  { version }: Step,
  isOld: boolean,
  report: Report,
): string[] {
  const { replaced = {} } = change;
  const names = Object.keys(replaced).filter((name) => Object.hasOwn(shape, name));
  for (const name of names) report({ kind: isOld ? 'OLD' : 'IGNORED', name, now: replaced[name] ?? '', version });
  if (isOld && !('agrees' in change && change.agrees?.(shape))) rejectConflicts(shape, replaced, names);
  return names;
}

const strip = (shape: Shape, names: readonly string[]): Shape => (names.length > 0 ? without(shape, ...names) : shape);

/** The old and the new field cannot be combined. */
function rejectConflicts(shape: Shape, replaced: Readonly<Record<string, string>>, names: readonly string[]): void {
  const errors: FieldError[] = names.flatMap((name) => {
    const now = replaced[name] ?? '';
    if (!Object.hasOwn(shape, now)) return [];
    return [{ field: name, rule: 'contradiction', message: `Send either ${name} or ${now}, not both.` }];
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}

/** Renames the last segment: `changes.openingDate` becomes `changes.futureOpeningDate`. */
function renamedError(error: FieldError, names: ReadonlyMap<string, string>): FieldError {
  return renameField(
    error,
    error.field.replace(/(^|[.[\]])([^.[\]]+)$/, (_, before, last) => `${before}${names.get(last) ?? last}`),
  );
}

/** The path to records in a body or response: field names, and `*` for every entry of a list. */
type RecordPath = readonly string[];

const everyEntry = '*';

/** The paths of records by resource, innermost first. */
export function recordPathsIn(schema: unknown, resources: ReadonlySet<string>): Map<string, RecordPath[]> {
  const paths = new Map<string, RecordPath[]>();
  collect(schema as Schema, [], resources, paths);
  return paths;
}

function collect(
  schema: Schema,
  path: RecordPath,
  resources: ReadonlySet<string>,
  paths: Map<string, RecordPath[]>,
): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    collect(property, [...path, name], resources, paths);
  }
  if (schema.items) collect(schema.items, [...path, everyEntry], resources, paths);
  for (const inner of Object.values(schema.patternProperties ?? {})) {
    collect(inner, [...path, everyEntry], resources, paths);
  }
  for (const choice of schema.anyOf ?? []) collect(choice, path, resources, paths);
  const resource = schema['x-resource'];
  if (resource === undefined || !resources.has(resource)) return;
  const known = paths.get(resource) ?? [];
  if (!known.some((other) => other.join('/') === path.join('/'))) paths.set(resource, [...known, path]);
}

/** Maps the records at a path without changing the input. Copies only what contains a changed record. */
function mapAt(value: unknown, path: RecordPath, map: (shape: Shape) => Shape, depth = 0): unknown {
  const step = path[depth];
  if (step === undefined) return isShape(value) ? map(value) : value;
  if (step === everyEntry && Array.isArray(value)) {
    const mapped = value.map((entry) => mapAt(entry, path, map, depth + 1));
    return mapped.some((entry, index) => entry !== value[index]) ? mapped : value;
  }
  if (!isShape(value)) return value;
  if (step === everyEntry) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapAt(inner, path, map, depth + 1)]));
  }
  if (!Object.hasOwn(value, step)) return value;
  const inner = value[step];
  const mapped = mapAt(inner, path, map, depth + 1);
  return mapped === inner ? value : { ...value, [step]: mapped };
}
