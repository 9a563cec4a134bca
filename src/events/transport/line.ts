export interface InLine<T> {
  before: T | undefined;
  behind: T | undefined;
}

/**
 * Members in the order they joined, each of which may leave at any time. The links are kept in the members:
 * a Set that is added to and deleted from for every delivery costs 2 µs of each, mostly in rebuilding itself.
 */
export class Line<T extends InLine<T>> {
  first: T | undefined;
  size = 0;
  #last: T | undefined;

  join(member: T): void {
    member.before = this.#last;
    if (this.#last) this.#last.behind = member;
    else this.first = member;
    this.#last = member;
    this.size += 1;
  }

  leave(member: T): void {
    const { before, behind } = member;
    if (before) before.behind = behind;
    else if (this.first === member) this.first = behind;
    else return;
    if (behind) behind.before = before;
    else this.#last = before;
    member.before = undefined;
    member.behind = undefined;
    this.size -= 1;
  }
}
