import type { DueDelivery } from './due-deliveries.ts';
import type { Host, Turn } from './gate.ts';
import type { Lane } from './lanes.ts';
import type { ServedWebhook } from './served-webhook.ts';
import type { SignedRequest, Target } from './target.ts';

// What is signed and known of a webhook is good for this long; a change applies to tries that begin later.
const freshMs = 1000;

interface Taken {
  delivery: DueDelivery;
  lane: Lane;
  webhook: ServedWebhook;
  target: Target;
  host: Host;
  request: SignedRequest;
}

/** A delivery in hand: taken under its webhook's lease, waiting to be sent, under way, or waiting to be settled. */
export class Attempt implements Turn {
  readonly delivery: DueDelivery;
  readonly lane: Lane;
  readonly webhook: ServedWebhook;
  readonly target: Target;
  readonly host: Host;
  readonly request: SignedRequest;
  /** Whether its destination was failing when it was taken in hand. */
  readonly wasFailing: boolean;
  readonly #takenAt = performance.now();
  readonly #send: (attempt: Attempt) => void;

  constructor(taken: Taken, send: (attempt: Attempt) => void) {
    this.delivery = taken.delivery;
    this.lane = taken.lane;
    this.webhook = taken.webhook;
    this.target = taken.target;
    this.host = taken.host;
    this.request = taken.request;
    this.wasFailing = taken.webhook.isFailing;
    this.#send = send;
  }

  get isStale(): boolean {
    return performance.now() - this.#takenAt > freshMs;
  }

  start(): void {
    this.#send(this);
  }
}
