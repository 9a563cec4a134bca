const limit = 16 * 1024;

/** Stores the first 16 KiB of a response body. */
export class ResponseBody {
  static readonly empty: Buffer = Buffer.alloc(0);
  #kept = ResponseBody.empty;
  #length = 0;

  /** Returns false when the body exceeds the limit. */
  add(chunk: Buffer): boolean {
    const remaining = limit - this.#length;
    const part = chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
    if (this.#length === 0) {
      // Usually a view of the socket buffer; copied if it would keep a large buffer alive.
      this.#kept = part.buffer.byteLength > 2 * limit ? Buffer.from(part) : part;
    } else {
      this.#grow(this.#length + part.length);
      this.#kept.set(part, this.#length);
    }
    this.#length += part.length;
    return part === chunk;
  }

  bytes(): Buffer {
    return this.#kept.length === this.#length ? this.#kept : this.#kept.subarray(0, this.#length);
  }

  // One growing buffer: a body sent byte by byte would otherwise be thousands of objects.
  #grow(needed: number): void {
    if (needed <= this.#kept.length) return;
    const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * this.#kept.length)));
    larger.set(this.#kept.subarray(0, this.#length));
    this.#kept = larger;
  }
}
