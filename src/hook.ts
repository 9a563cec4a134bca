/**
 * A call from a module to the modules above it, which it must not import. The handlers are connected in
 * `modules/modules.ts`.
 */
export class Hook<Handler extends (...args: never[]) => Promise<unknown>> {
  readonly #name: string;
  #handlers: readonly Handler[] | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  connect(...handlers: Handler[]): void {
    this.#handlers = handlers;
  }

  /** Runs the handlers one after the other, in the order in which they were connected. */
  async run(...args: Parameters<Handler>): Promise<Awaited<ReturnType<Handler>>[]> {
    // Without this, a program that forgot to connect the modules would skip their rules silently.
    if (!this.#handlers)
      throw new Error(`No module is connected to the hook ${this.#name}. Import modules/modules.ts.`);
    const results: Awaited<ReturnType<Handler>>[] = [];
    for (const handler of this.#handlers) results.push((await handler(...args)) as Awaited<ReturnType<Handler>>);
    return results;
  }
}
