/** What a try takes a place with: its webhook and its host. */
export interface Places {
  underWay: number;
}

/** A try that may have to wait for its turn. */
export interface Turn {
  webhook: Places;
  host: Host;
  start(): void;
}

/** Tries of one host that are under way, and those that wait, in the order they came. */
export class Host implements Places {
  readonly origin: string;
  underWay = 0;
  readonly waiting: Turn[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }
}

/** Lets tries start while their webhook and their host have places free. What waits here holds up nobody else. */
export class Gate {
  readonly #limits: { perWebhook: number; perHost: number };
  readonly #hosts = new Map<string, Host>();
  /** Nothing is under way there: what waits is for a webhook that has moved and whose places are taken elsewhere. */
  readonly #stalled = new Set<Host>();

  constructor(limits: { perWebhook: number; perHost: number }) {
    this.#limits = limits;
  }

  host(origin: string): Host {
    const known = this.#hosts.get(origin);
    if (known) return known;
    const host = new Host(origin);
    this.#hosts.set(origin, host);
    return host;
  }

  enter(turn: Turn): void {
    if (this.#hasPlace(turn)) this.#start(turn);
    else this.#wait(turn);
  }

  /** A try has ended: the next one that its places allow may start. */
  leave({ webhook, host }: Turn): void {
    webhook.underWay--;
    host.underWay--;
    this.#startNext(host);
    for (const stalled of this.#stalled) this.#startNext(stalled);
  }

  /** Turns away whatever has not started, and answers what that was. */
  clear(): Turn[] {
    return [...this.#hosts.values()].flatMap((host) => host.waiting.splice(0));
  }

  #wait(turn: Turn): void {
    turn.host.waiting.push(turn);
    if (turn.host.underWay === 0) this.#stalled.add(turn.host);
  }

  #startNext(host: Host): void {
    const next = host.waiting.findIndex((turn) => this.#hasPlace(turn));
    for (const turn of next < 0 ? [] : host.waiting.splice(next, 1)) this.#start(turn);
    if (host.underWay > 0) this.#stalled.delete(host);
    else if (host.waiting.length > 0) this.#stalled.add(host);
    else this.#hosts.delete(host.origin);
  }

  #hasPlace({ webhook, host }: Turn): boolean {
    return host.underWay < this.#limits.perHost && webhook.underWay < this.#limits.perWebhook;
  }

  #start(turn: Turn): void {
    turn.webhook.underWay++;
    turn.host.underWay++;
    turn.start();
  }
}
