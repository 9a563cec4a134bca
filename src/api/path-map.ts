/** Spellings that differ from the canonical segment by more than hyphens and case. */
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
 * The paths of the API as a tree, to find the canonical one for each spelling: with and without `/api`, with and without
 * hyphens, in any case. Only fixed segments are matched loosely; ids are left alone. Paths outside of `/api` have one
 * spelling, so that a proxy that blocks one blocks it.
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
        const known = node.fixed.get(loosely(segment));
        const next = known ?? newNode(segment);
        node.fixed.set(loosely(segment), next);
        node = next;
      }
    }
    node.methods.add(method);
  }

  /** Every path with its methods, as routes know them. */
  list(): Found[] {
    return [...this.#exact.values(), ...pathsUnder(this.#root, '')];
  }

  /** The URL as routes know it; unchanged when nothing in the API goes by this path. */
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
  const fixed = node.fixed.get(loosely(segment));
  const found = fixed && walk(fixed, segments, depth + 1, `${path}/${fixed.segment}`);
  if (found || !node.parameter || segment === '') return found;
  return walk(node.parameter, segments, depth + 1, `${path}/${segment}`);
}

function loosely(segment: string): string {
  const name = segment.replaceAll('-', '').toLowerCase();
  return otherNames.get(name) ?? name;
}

/** A closing slash means the same path. */
const segmentsOf = (path: string) => path.replace(/^\/|\/$/g, '').split('/');
