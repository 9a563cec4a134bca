import type { Network } from '../state/network.ts';
import { RequestError } from './request-error.ts';

export interface Call {
  network: Network;
  /** Id of the calling installation. */
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

/** Finds the route of a request and its path parameters. */
export class Router<C extends Call> {
  readonly #routes: { route: Route<C>; pattern: RegExp }[];

  constructor(routes: readonly Route<C>[]) {
    this.#routes = routes.map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
    }));
  }

  find(method: string, path: string): { route: Route<C>; params: Record<string, string> } {
    const matches = this.#routes.filter(({ pattern }) => pattern.test(path));
    const found = matches.find(({ route }) => route.method === method);
    if (!found && matches.length === 0) throw new RequestError(404, `${path} not found.`);
    if (!found) {
      const allowed = matches.map(({ route }) => route.method).join(', ');
      throw new RequestError(405, `${method} is not available at ${path}: use ${allowed}.`);
    }
    const parts = Object.entries(found.pattern.exec(path)?.groups ?? {});
    return { route: found.route, params: Object.fromEntries(parts.map(([name, text]) => [name, decoded(text)])) };
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RequestError(400, `"${text}" in the path is not valid percent-encoding.`);
  }
}
