const enough = 16 * 1024;
const longestMs = 50;

/**
 * Batches log lines: one write per line would cost more than creating the line.
 */
export class LineBuffer {
  readonly #handOn: (text: string) => void;
  #lines: string[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(handOn: (text: string) => void) {
    this.#handOn = handOn;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= enough) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), longestMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#size === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#size = 0;
    this.#handOn(text);
  }
}
