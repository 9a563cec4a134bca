const otherNames = new Map([['location', 'locations']]);

interface PathNode {
  segment: string;
  methods: Set<string>;
  fixed: Map<string, PathNode>;
  parameter?: PathNode;
}

interface Found {
  path: string;
  methods: ReadonlySet<string>;
}

const newNode = (segment: string): PathNode => ({ segment, methods: new Set(), fixed: new Map() });

/**
 * Maps paths with or without `/api`, with or without hyphens and in any case to the canonical path. Ids and paths outside
 * `/api` must match exactly, so that a proxy can block them.
 */
export class PathMap {
  readonly #root = newNode('');
  readonly #exact = new Map<string, Found & { methods: Set<string> }>();

  add(method: string, path: string): void {
    if (!path.startsWith('/api/')) {
      const known = this.#exact.get(path) ?? { path, methods: new Set<string>() };
      known.methods.add(method);
      this.#exact.set(path, known);
      return;
    }
    let node = this.#root;
    for (const segment of segmentsOf(path)) {
      if (segment.startsWith(':')) {
        node.parameter ??= newNode(segment);
        node = node.parameter;
      } else {
        const known = node.fixed.get(normalized(segment));
        const next = known ?? newNode(segment);
        node.fixed.set(normalized(segment), next);
        node = next;
      }
    }
    node.methods.add(method);
  }

  list(): Found[] {
    return [...this.#exact.values(), ...pathsUnder(this.#root, '')];
  }

  /** The URL with the canonical path; unchanged for an unknown path. */
  rewrite(url: string): string {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const found = this.find(path);
    return found ? found.path + (end < 0 ? '' : url.slice(end)) : url;
  }

  find(path: string): Found | undefined {
    const exact = this.#exact.get(path.replace(/(?<=.)\/$/, ''));
    if (exact) return exact;
    const segments = segmentsOf(path);
    return walk(this.#root, segments, 0, '') ?? walk(this.#root, ['api', ...segments], 0, '');
  }
}

function pathsUnder(node: PathNode, path: string): Found[] {
  const inner = [...node.fixed.values(), ...(node.parameter ? [node.parameter] : [])];
  const here = node.methods.size > 0 ? [{ path, methods: node.methods }] : [];
  return [...here, ...inner.flatMap((next) => pathsUnder(next, `${path}/${next.segment}`))];
}

function walk(node: PathNode, segments: readonly string[], depth: number, path: string): Found | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.methods.size > 0 ? { path, methods: node.methods } : undefined;
  const fixed = node.fixed.get(normalized(segment));
  const found = fixed && walk(fixed, segments, depth + 1, `${path}/${fixed.segment}`);
  if (found || !node.parameter || segment === '') return found;
  return walk(node.parameter, segments, depth + 1, `${path}/${segment}`);
}

function normalized(segment: string): string {
  const name = segment.replaceAll('-', '').toLowerCase();
  return otherNames.get(name) ?? name;
}

/** A trailing slash is ignored. */
const segmentsOf = (path: string) => path.replace(/^\/|\/$/g, '').split('/');
