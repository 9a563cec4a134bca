/** Builds a WHERE clause with parameters. */
export class Conditions {
  readonly values: unknown[];
  readonly #parts: string[] = [];

  constructor(...values: unknown[]) {
    this.values = values;
  }

  /** Adds a parameter and returns its placeholder. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: string): this {
    this.#parts.push(condition);
    return this;
  }

  /** `where …`, or an empty string. */
  get where(): string {
    return this.#parts.length > 0 ? `where ${this.#parts.join(' and ')}` : '';
  }
}
