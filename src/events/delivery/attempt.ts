import type { DueDelivery } from './due-deliveries.ts';
import type { Host, Turn } from './gate.ts';
import type { Lane } from './lanes.ts';
import type { ServedWebhook } from './served-webhook.ts';
import type { Target } from './target.ts';

/** A delivery in hand: taken under its webhook's lease, waiting to be sent, under way, or waiting to be settled. */
export class Attempt implements Turn {
  readonly delivery: DueDelivery;
  readonly lane: Lane;
  readonly webhook: ServedWebhook;
  readonly target: Target;
  readonly host: Host;
  /** Whether its destination was failing when it was taken in hand. */
  readonly wasFailing: boolean;
  readonly #send: (attempt: Attempt) => void;

  constructor(
    taken: { delivery: DueDelivery; lane: Lane; webhook: ServedWebhook; target: Target; host: Host },
    send: (attempt: Attempt) => void,
  ) {
    this.delivery = taken.delivery;
    this.lane = taken.lane;
    this.webhook = taken.webhook;
    this.target = taken.target;
    this.host = taken.host;
    this.wasFailing = taken.webhook.standing.consecutiveFailures > 0;
    this.#send = send;
  }

  start(): void {
    this.#send(this);
  }
}
