import { type FieldError, Problem } from '../../problems.ts';
import { mapAt, type RecordPath, recordPathsIn } from './record-paths.ts';
import { type Shape, without } from './shape.ts';
import {
  type CallChange,
  type Client,
  type Grant,
  isBefore,
  type ShapeChange,
  type VersionChange,
} from './version-change.ts';

/** What a route says of itself. */
export interface RouteShapes {
  method: string;
  path: string;
  body?: unknown;
  response?: unknown;
}

/** Something in a request that does not belong to today's API, or not yet to the version asked for. */
export interface VersionNotice {
  /**
   * OLD and OLD_FORM: taken as it was meant then. IGNORED: the version asked for no longer knows it. NOT_YET: it does not
   * know it yet. LOST: `name` is a sentence about what was not kept.
   */
  kind: 'OLD' | 'OLD_FORM' | 'IGNORED' | 'NOT_YET' | 'LOST';
  name: string;
  /** For a sentence: what to do about it, or what it needs. */
  now: string;
  version: string;
}

type Tell = (use: VersionNotice) => void;

interface Step extends Pick<VersionChange, 'version' | 'onlyWith'> {
  shapes: readonly { change: ShapeChange; body: readonly RecordPath[]; response: readonly RecordPath[] }[];
  calls: readonly CallChange[];
}

const nothing: ReadonlySet<Grant> = new Set();

/** One route's way through the versions: requests walk up to today, answers walk down to the version asked for. */
export class RouteWalk {
  /** Those that concern this route, the oldest first, and the other way round. */
  readonly #upwards: readonly Step[];
  readonly #downwards: readonly Step[];

  constructor(timeline: readonly VersionChange[], route: RouteShapes) {
    const kinds = new Set(timeline.flatMap(({ shapes = [] }) => shapes.map(({ resource }) => resource)));
    const inBody = recordPathsIn(route.body ?? {}, kinds);
    const inResponse = recordPathsIn(route.response ?? {}, kinds);
    const name = `${route.method} ${route.path}`;
    this.#upwards = timeline
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
    this.#downwards = this.#upwards.toReversed();
  }

  /** The changes that concern this route, for the check that each concerns some. */
  get touched(): ReadonlySet<ShapeChange | CallChange> {
    return new Set(this.#upwards.flatMap(({ shapes, calls }) => [...shapes.map(({ change }) => change), ...calls]));
  }

  /** A request as today's code knows it. */
  upgrade(client: Client, request: { query: Shape; body: unknown }, tell: Tell): { query: Shape; body: unknown } {
    let { query, body } = request;
    for (const step of this.#upwards) {
      const isOld = isBefore(client, step);
      for (const change of step.calls) {
        if (!isOld) refuseFormerNames(change, query, step);
        else namesOfOld(change, query, step, isOld, tell);
        if (isOld) query = change.upgradeQuery?.(query) ?? query;
        if (isOld && change.upgradeBody && body) body = change.upgradeBody(body as Shape);
      }
      for (const { change, body: places } of step.shapes) {
        if (!isOld && !change.replaced) continue;
        for (const place of places) {
          body = mapAt(body, place, (shape) => upgradeShape(shape, change, step, isOld, tell));
        }
      }
    }
    return { query, body };
  }

  /** What holds for a request of this client and not for one of today. */
  grants(client: Client): ReadonlySet<Grant> {
    const granted = this.#upwards.flatMap((step) =>
      step.calls.flatMap((change) => (change.granted && isBefore(client, step) ? change.granted : [])),
    );
    return granted.length > 0 ? new Set(granted) : nothing;
  }

  /** Errors about fields under the names by which the client knows them. */
  downgradeErrors(client: Client, errors: readonly FieldError[]): readonly FieldError[] {
    let told = errors;
    for (const step of this.#downwards) {
      if (!isBefore(client, step)) continue;
      for (const change of [...step.shapes.map((shape) => shape.change), ...step.calls]) {
        const names = formerNames(change);
        if (names.size > 0) told = told.map((error) => renamedError(error, names));
      }
      for (const { change } of step.shapes) {
        const { pathThen } = change;
        if (pathThen) told = told.map((error) => movedError(error, pathThen(error.field)));
      }
    }
    return told;
  }

  downgrade(client: Client, answer: unknown): unknown {
    let shown = answer;
    for (const step of this.#downwards) {
      if (!isBefore(client, step)) continue;
      for (const { change, response: places } of step.shapes) {
        const { downgrade } = change;
        if (downgrade) for (const place of places) shown = mapAt(shown, place, downgrade);
      }
      for (const { downgradeResponse } of step.calls) if (downgradeResponse) shown = downgradeResponse(shown as Shape);
    }
    return shown;
  }
}

/** What each name of today was called before a change; none where several became one, or one became none. */
function formerNames({ replaced = {} }: ShapeChange | CallChange): Map<string, string> {
  const sole = Object.entries(replaced).filter(
    ([, now], _index, all) => all.filter(([, other]) => other === now).length === 1,
  );
  return new Map(sole.map(([old, now]) => [now, old]));
}

function upgradeShape(shape: Shape, change: ShapeChange, step: Step, isOld: boolean, tell: Tell): Shape {
  const names = namesOfOld(change, shape, step, isOld, tell);
  if (!isOld) return left(shape, names);
  const { version } = step;
  for (const [name, { before, now, isOld: isOldForm }] of Object.entries(change.reshaped ?? {})) {
    if (Object.hasOwn(shape, name) && isOldForm(shape[name], shape)) {
      tell({ kind: 'OLD_FORM', name: `${name} ${before}`, now, version });
    }
  }
  const early = (change.notYet ?? []).filter((name) => Object.hasOwn(shape, name));
  const now = step.onlyWith ? `a product plan with ${step.onlyWith}` : 'a newer version';
  for (const name of early) tell({ kind: 'NOT_YET', name: `${name} of ${change.resource}`, now, version });
  const lost = change.lostBy?.(shape);
  if (lost !== undefined) tell({ kind: 'LOST', name: lost, now: '', version });
  const known = left(shape, early);
  return change.upgrade?.(known) ?? known;
}

/** A filter that this version no longer knows must not return everything. */
function refuseFormerNames({ replaced = {} }: CallChange, query: Shape, { version }: Step): void {
  const errors = Object.entries(replaced).flatMap(([field, now]) =>
    Object.hasOwn(query, field)
      ? [{ field, rule: 'known', message: `${field} is not known since _${version}. Use ${now}.` }]
      : [],
  );
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}

/** Which names of old are used. Those that the version asked for no longer knows are told of as ignored. */
function namesOfOld(
  change: ShapeChange | CallChange,
  shape: Shape,
  { version }: Step,
  isOld: boolean,
  tell: Tell,
): string[] {
  const { replaced = {} } = change;
  const names = Object.keys(replaced).filter((name) => Object.hasOwn(shape, name));
  for (const name of names) tell({ kind: isOld ? 'OLD' : 'IGNORED', name, now: replaced[name] ?? '', version });
  if (isOld && !('agrees' in change && change.agrees?.(shape))) refuseContradictions(shape, replaced, names);
  return names;
}

const left = (shape: Shape, names: readonly string[]): Shape => (names.length > 0 ? without(shape, ...names) : shape);

/** The same thing said in the old way and in the new: nobody can know which is meant. */
function refuseContradictions(
  shape: Shape,
  replaced: Readonly<Record<string, string>>,
  names: readonly string[],
): void {
  const errors: FieldError[] = names.flatMap((name) => {
    const now = replaced[name] ?? '';
    if (!Object.hasOwn(shape, now)) return [];
    return [{ field: name, rule: 'contradiction', message: `Give either ${name} or ${now}, not both.` }];
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}

/** `changes.openingDate` is about openingDate, and its message begins with the whole of it. */
function renamedError(error: FieldError, names: ReadonlyMap<string, string>): FieldError {
  return movedError(
    error,
    error.field.replace(/(^|[.[\]])([^.[\]]+)$/, (_, before, last) => `${before}${names.get(last) ?? last}`),
  );
}

const movedError = (error: FieldError, field: string): FieldError =>
  field === error.field ? error : { ...error, field, message: error.message.replaceAll(error.field, field) };
