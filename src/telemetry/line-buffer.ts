const maxSize = 16 * 1024;
const maxDelayMs = 50;

/**
 * Batches log lines: one write per line would cost more than creating the line.
 */
export class LineBuffer {
  readonly #write: (text: string) => void;
  #lines: string[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= maxSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), maxDelayMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#size === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#size = 0;
    this.#write(text);
  }
}
