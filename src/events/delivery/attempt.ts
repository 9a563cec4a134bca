import type { DueDelivery } from './due-deliveries.ts';
import type { Host, Turn } from './gate.ts';
import type { Lane } from './lanes.ts';
import type { ServedWebhook } from './served-webhook.ts';
import { signedRequest, type Target } from './target.ts';

// Receivers refuse what is minutes old; a second is nothing to them.
const freshMs = 1000;

type PushRequest = ReturnType<typeof signedRequest>;

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
  #request: PushRequest | undefined;
  #signedAt = 0;

  constructor(
    taken: { delivery: DueDelivery; lane: Lane; webhook: ServedWebhook; target: Target; host: Host },
    send: (attempt: Attempt) => void,
  ) {
    this.delivery = taken.delivery;
    this.lane = taken.lane;
    this.webhook = taken.webhook;
    this.target = taken.target;
    this.host = taken.host;
    this.wasFailing = taken.webhook.isFailing;
    this.#send = send;
  }

  /** Makes the request ready to be sent. */
  sign(userAgent: string): PushRequest {
    const now = new Date();
    const event = { id: this.delivery.eventId, text: this.delivery.eventText };
    this.#request = signedRequest(this.target, event, { now, userAgent });
    this.#signedAt = now.getTime();
    return this.#request;
  }

  /** The request with a time stamp of now, or nearly so: one that had to wait is signed again. */
  signedNow(userAgent: string): PushRequest {
    const isFresh = this.#request && Date.now() - this.#signedAt < freshMs;
    return isFresh && this.#request ? this.#request : this.sign(userAgent);
  }

  start(): void {
    this.#send(this);
  }
}
