import { type FieldError, Problem } from '../../problems.ts';
import { type Place, placesIn, remade } from './shape-places.ts';
import type { CallChange, Grant, Shape, ShapeChange, VersionChange } from './version-change.ts';

/** What a route says of itself. */
export interface RouteShapes {
  method: string;
  path: string;
  body?: unknown;
  response?: unknown;
}

/** An old field or parameter that a request used. */
export interface OldUse {
  name: string;
  now: string;
  version: string;
}

interface Step {
  version: string;
  shapes: readonly { change: ShapeChange; body: readonly Place[]; response: readonly Place[] }[];
  calls: readonly CallChange[];
}

/** One route's way through the versions: requests walk up to today, answers walk down to the version asked for. */
export class RouteWalk {
  /** Those that concern this route, the oldest first. */
  readonly #steps: readonly Step[];

  constructor(timeline: readonly VersionChange[], route: RouteShapes) {
    const kinds = new Set(timeline.flatMap(({ shapes = [] }) => shapes.map(({ resource }) => resource)));
    const inBody = placesIn(route.body ?? {}, kinds);
    const inResponse = placesIn(route.response ?? {}, kinds);
    const name = `${route.method} ${route.path}`;
    this.#steps = timeline
      .map(({ version, shapes = [], calls = [] }) => ({
        version,
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

  /** The changes that concern this route, for the check that each concerns some. */
  get touched(): ReadonlySet<ShapeChange | CallChange> {
    return new Set(this.#steps.flatMap(({ shapes, calls }) => [...shapes.map(({ change }) => change), ...calls]));
  }

  /** A request as today's code knows it. `used` hears of what is old in it. */
  upgrade(
    version: string,
    request: { query: Shape; body: unknown },
    used: (use: OldUse) => void,
  ): { query: Shape; body: unknown } {
    let { query, body } = request;
    for (const step of this.#steps) {
      const isOld = version < step.version;
      for (const change of step.calls) {
        const names = Object.keys(change.replaced).filter((name) => Object.hasOwn(query, name));
        for (const name of names) used({ name, now: change.replaced[name] ?? '', version: step.version });
        if (!isOld) continue;
        refuseContradictions(query, change, names);
        if (change.upgradeQuery) query = change.upgradeQuery(query);
        if (change.upgradeBody && body) body = change.upgradeBody(body as Shape);
      }
      for (const { change, body: places } of step.shapes) {
        for (const place of places) {
          body = remade(body, place, (shape) => upgradeShape(shape, change, step.version, isOld, used));
        }
      }
    }
    return { query, body };
  }

  /** What a request of this version may have that today's may not. */
  grants(version: string): ReadonlySet<Grant> {
    const old = this.#steps.filter((step) => version < step.version);
    return new Set(old.flatMap(({ calls }) => calls.flatMap(({ granted }) => granted ?? [])));
  }

  downgrade(version: string, answer: unknown, asked: Shape): unknown {
    let shown = answer;
    for (const step of this.#steps.toReversed()) {
      if (version >= step.version) break;
      for (const { change, response: places } of step.shapes) {
        const { downgrade } = change;
        if (downgrade) for (const place of places) shown = remade(shown, place, downgrade);
      }
      for (const { downgradeAnswer } of step.calls) if (downgradeAnswer) shown = downgradeAnswer(shown as Shape, asked);
    }
    return shown;
  }
}

function upgradeShape(
  shape: Shape,
  change: ShapeChange,
  version: string,
  isOld: boolean,
  used: (use: OldUse) => void,
): Shape {
  const names = Object.keys(change.replaced).filter((name) => Object.hasOwn(shape, name));
  for (const name of names) used({ name, now: change.replaced[name] ?? '', version });
  if (!isOld || !change.upgrade) return shape;
  refuseContradictions(shape, change, names);
  return change.upgrade(shape);
}

/** The same thing said in the old way and in the new: nobody can know which is meant. */
function refuseContradictions(shape: Shape, { replaced }: ShapeChange | CallChange, names: readonly string[]): void {
  const errors: FieldError[] = names.flatMap((name) => {
    const now = replaced[name] ?? '';
    if (now === name || !Object.hasOwn(shape, now)) return [];
    return [{ field: name, rule: 'contradiction', message: `Give either ${name} or ${now}, not both.` }];
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}
