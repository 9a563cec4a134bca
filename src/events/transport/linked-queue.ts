export interface QueueNode<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * Intrusive doubly linked list with O(1) removal. A Set costs 2 µs per delivery, mostly for rehashing.
 */
export class LinkedQueue<T extends QueueNode<T>> {
  first: T | undefined;
  size = 0;
  #last: T | undefined;

  push(member: T): void {
    member.previous = this.#last;
    if (this.#last) this.#last.next = member;
    else this.first = member;
    this.#last = member;
    this.size += 1;
  }

  remove(member: T): void {
    const { previous, next } = member;
    if (previous) previous.next = next;
    else if (this.first === member) this.first = next;
    else return;
    if (next) next.previous = previous;
    else this.#last = previous;
    member.previous = undefined;
    member.next = undefined;
    this.size -= 1;
  }
}
