import type { DueDelivery } from './due-deliveries.ts';

/** A try that takes a place with its webhook and with its host. */
export interface Admission {
  delivery: DueDelivery;
  webhookId: number;
  origin: string;
  start: () => Promise<void>;
}

interface Host {
  underWay: number;
  waiting: Admission[];
}

/**
 * Lets work start while its webhook and its host have places free, in order of arrival per host.
 * What waits here holds up nobody else.
 */
export class Gate {
  readonly #limits: { perWebhook: number; perHost: number };
  readonly #webhooks = new Map<number, number>();
  readonly #hosts = new Map<string, Host>();

  constructor(limits: { perWebhook: number; perHost: number }) {
    this.#limits = limits;
  }

  enter(admission: Admission): void {
    let host = this.#hosts.get(admission.origin);
    if (!host) {
      host = { underWay: 0, waiting: [] };
      this.#hosts.set(admission.origin, host);
    }
    if (this.#hasPlace(host, admission)) this.#start(host, admission);
    else host.waiting.push(admission);
  }

  /** Turns away whatever has not started, and answers what that was. */
  clear(): Admission[] {
    return [...this.#hosts.values()].flatMap((host) => host.waiting.splice(0));
  }

  #hasPlace(host: Host, { webhookId }: Admission): boolean {
    return host.underWay < this.#limits.perHost && (this.#webhooks.get(webhookId) ?? 0) < this.#limits.perWebhook;
  }

  #start(host: Host, admission: Admission): void {
    host.underWay++;
    this.#webhooks.set(admission.webhookId, (this.#webhooks.get(admission.webhookId) ?? 0) + 1);
    void admission.start().finally(() => this.#leave(host, admission));
  }

  #leave(host: Host, { webhookId, origin }: Admission): void {
    host.underWay--;
    const left = (this.#webhooks.get(webhookId) ?? 1) - 1;
    if (left > 0) this.#webhooks.set(webhookId, left);
    else this.#webhooks.delete(webhookId);
    const next = host.waiting.findIndex((admission) => this.#hasPlace(host, admission));
    if (next >= 0) {
      const [admission] = host.waiting.splice(next, 1);
      if (admission) this.#start(host, admission);
    } else if (host.underWay === 0 && host.waiting.length === 0) {
      this.#hosts.delete(origin);
    }
  }
}
