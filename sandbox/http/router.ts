import type { Network } from '../state/network.ts';
import { Refusal } from './refusal.ts';

export interface Call {
  network: Network;
  /** The number of the installation that calls. */
  installation: number;
  params: Record<string, string>;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export interface Route<C extends Call = Call> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as /pages/:id. */
  path: string;
  handle(call: C): object;
}

/** Finds the route of a request, with the parts of its path that have a name. */
export class Router<C extends Call> {
  readonly #routes: { route: Route<C>; pattern: RegExp }[];

  constructor(routes: readonly Route<C>[]) {
    this.#routes = routes.map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
    }));
  }

  find(method: string, path: string): { route: Route<C>; params: Record<string, string> } {
    const here = this.#routes.filter(({ pattern }) => pattern.test(path));
    const found = here.find(({ route }) => route.method === method);
    if (!found && here.length === 0) throw new Refusal(404, `There is nothing at ${path}.`);
    if (!found) {
      const allowed = here.map(({ route }) => route.method).join(', ');
      throw new Refusal(405, `${method} is not available at ${path}: use ${allowed}.`);
    }
    const parts = Object.entries(found.pattern.exec(path)?.groups ?? {});
    return { route: found.route, params: Object.fromEntries(parts.map(([name, text]) => [name, decoded(text)])) };
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal(400, `"${text}" in the path cannot be read.`);
  }
}
