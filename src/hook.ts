/** Lets a module call higher modules, which it must not import. Handlers are connected in `modules/modules.ts`. */
export class Hook<Handler extends (...args: never[]) => Promise<unknown>> {
  readonly #name: string;
  #handlers: readonly Handler[] | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  connect(...handlers: Handler[]): void {
    this.#handlers = handlers;
  }

  /** Runs the handlers sequentially, in the order of `connect`. */
  async run(...args: Parameters<Handler>): Promise<Awaited<ReturnType<Handler>>[]> {
    if (!this.#handlers)
      throw new Error(`No module is connected to the hook ${this.#name}. Import modules/modules.ts.`);
    const results: Awaited<ReturnType<Handler>>[] = [];
    for (const handler of this.#handlers) results.push((await handler(...args)) as Awaited<ReturnType<Handler>>);
    return results;
  }
}
