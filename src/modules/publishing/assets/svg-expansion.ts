/** Limit of rendered elements after expanding references: 2 kB of nested `<use>` can expand to billions. */
const maxRendered = 100_000;
const maxReferenceDepth = 200;

interface RenderedElement {
  id: string | undefined;
  children: RenderedElement[];
  references: string[];
  /** Rendered elements, including referenced ones. */
  total?: number;
}

/** Counts the elements that an SVG renders. Elements must be passed in document order. */
export class SvgExpansion {
  readonly #root: RenderedElement = { id: undefined, children: [], references: [] };
  readonly #open: RenderedElement[] = [this.#root];
  readonly #byId = new Map<string, RenderedElement>();

  open(attributes: Iterable<{ local: string; value: string }>): void {
    const element: RenderedElement = { id: undefined, children: [], references: [] };
    for (const { local, value } of attributes) {
      if (local === 'id') element.id = value;
      else if (local === 'href' && value.trim().startsWith('#')) element.references.push(value.trim().slice(1));
      else element.references.push(...targetsIn(value));
    }
    if (element.id !== undefined && !this.#byId.has(element.id)) this.#byId.set(element.id, element);
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }

  objection(): string | undefined {
    const total = this.#totalOf(this.#root, 0);
    if (total === undefined) return `its references are chained more than ${maxReferenceDepth} times`;
    return total > maxRendered
      ? `it renders more than ${maxRendered} elements because of nested references`
      : undefined;
  }

  /** Undefined if references are nested too deeply. A self-reference renders nothing. */
  #totalOf(element: RenderedElement, depth: number): number | undefined {
    if (element.total !== undefined) return element.total;
    if (depth > maxReferenceDepth) return undefined;
    element.total = 0;
    let total = 1;
    for (const child of element.children) {
      const inner = this.#totalOf(child, depth);
      if (inner === undefined) return undefined;
      total += inner;
    }
    for (const reference of element.references) {
      const target = this.#byId.get(reference);
      const inner = target ? this.#totalOf(target, depth + 1) : 0;
      if (inner === undefined) return undefined;
      total += inner;
    }
    element.total = total;
    return total;
  }
}

const targetsIn = (value: string) =>
  [...value.matchAll(/url\(\s*['"]?#([^'")\s]+)/gi)].map(([, target = '']) => target);
