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
    else turn.host.waiting.push(turn);
  }

  /** A try has ended: the next one that its places allow may start. */
  leave({ webhook, host }: Turn): void {
    webhook.underWay--;
    host.underWay--;
    const next = host.waiting.findIndex((turn) => this.#hasPlace(turn));
    if (next >= 0) {
      for (const turn of host.waiting.splice(next, 1)) this.#start(turn);
    } else if (host.underWay === 0 && host.waiting.length === 0) {
      this.#hosts.delete(host.origin);
    }
  }

  /** Turns away whatever has not started, and answers what that was. */
  clear(): Turn[] {
    return [...this.#hosts.values()].flatMap((host) => host.waiting.splice(0));
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
