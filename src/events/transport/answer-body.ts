const limit = 16 * 1024;

/** The beginning of an answer, as far as it is kept. */
export class AnswerBody {
  static readonly empty: Buffer = Buffer.alloc(0);
  #kept = AnswerBody.empty;
  #length = 0;

  /** False once there is more than is kept. */
  add(chunk: Buffer): boolean {
    const room = limit - this.#length;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (this.#length === 0) {
      // A view of what was read from the socket in one go: small as a rule, and copied when it would hold on to more.
      this.#kept = part.buffer.byteLength > 2 * limit ? Buffer.from(part) : part;
    } else {
      this.#makeRoom(this.#length + part.length);
      this.#kept.set(part, this.#length);
    }
    this.#length += part.length;
    return part === chunk;
  }

  bytes(): Buffer {
    return this.#kept.length === this.#length ? this.#kept : this.#kept.subarray(0, this.#length);
  }

  // One growing buffer: an answer sent byte by byte would otherwise be kept as thousands of objects.
  #makeRoom(needed: number): void {
    if (needed <= this.#kept.length) return;
    const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * this.#kept.length)));
    larger.set(this.#kept.subarray(0, this.#length));
    this.#kept = larger;
  }
}
