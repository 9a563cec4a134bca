/** The conditions of a query that is put together from what a caller asks for, with their values as parameters. */
export class Conditions {
  readonly values: unknown[];
  readonly #parts: string[] = [];

  constructor(...values: unknown[]) {
    this.values = values;
  }

  /** Makes a value a parameter and answers its placeholder. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: string): this {
    this.#parts.push(condition);
    return this;
  }

  /** `where …`, or nothing when there is no condition. */
  get where(): string {
    return this.#parts.length > 0 ? `where ${this.#parts.join(' and ')}` : '';
  }
}
