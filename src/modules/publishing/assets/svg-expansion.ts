/** What `<use>`, patterns, masks and markers draw in the end: 2 kB of nested references can stand for billions. */
const mostDrawn = 100_000;
const deepestReferences = 200;

interface Drawn {
  id: string | undefined;
  children: Drawn[];
  references: string[];
  /** The number of elements that it draws, with what it refers to. */
  total?: number;
}

/** Counts the elements that an SVG draws, fed with its elements in the order of the file. */
export class SvgExpansion {
  readonly #root: Drawn = { id: undefined, children: [], references: [] };
  readonly #open: Drawn[] = [this.#root];
  readonly #byId = new Map<string, Drawn>();

  open(attributes: Iterable<{ local: string; value: string }>): void {
    const drawn: Drawn = { id: undefined, children: [], references: [] };
    for (const { local, value } of attributes) {
      if (local === 'id') drawn.id = value;
      else if (local === 'href' && value.trim().startsWith('#')) drawn.references.push(value.trim().slice(1));
      else drawn.references.push(...targetsIn(value));
    }
    if (drawn.id !== undefined && !this.#byId.has(drawn.id)) this.#byId.set(drawn.id, drawn);
    this.#open.at(-1)?.children.push(drawn);
    this.#open.push(drawn);
  }

  close(): void {
    this.#open.pop();
  }

  /** What is wrong with it, if anything. */
  objection(): string | undefined {
    const total = this.#totalOf(this.#root, 0);
    if (total === undefined) return `its references lead on to others more than ${deepestReferences} times`;
    return total > mostDrawn
      ? `it draws more than ${mostDrawn} elements, because its references repeat each other`
      : undefined;
  }

  /** Nothing when references are nested too deeply. A reference to itself draws nothing. */
  #totalOf(drawn: Drawn, depth: number): number | undefined {
    if (drawn.total !== undefined) return drawn.total;
    if (depth > deepestReferences) return undefined;
    drawn.total = 0;
    let total = 1;
    for (const child of drawn.children) {
      const inner = this.#totalOf(child, depth);
      if (inner === undefined) return undefined;
      total += inner;
    }
    for (const reference of drawn.references) {
      const target = this.#byId.get(reference);
      const inner = target ? this.#totalOf(target, depth + 1) : 0;
      if (inner === undefined) return undefined;
      total += inner;
    }
    drawn.total = total;
    return total;
  }
}

const targetsIn = (value: string) =>
  [...value.matchAll(/url\(\s*['"]?#([^'")\s]+)/gi)].map(([, target = '']) => target);
