import type { EventTypeName } from '../../events/catalogue/catalogue.ts';
import { type ApiClient, ApiError } from '../api-client.ts';

const path = '/api/sales-partners/webhooks';

interface Webhook {
  id: number;
  type: EventTypeName;
  pushUrl: string;
}

/** The webhooks of this receiver. */
export class OwnWebhooks {
  readonly #api: ApiClient;
  readonly #secrets = new Map<string, string>();
  #created: number[] = [];

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Secrets by event type; secrets of existing webhooks cannot be read. */
  get secrets(): ReadonlyMap<string, string> {
    return this.#secrets;
  }

  async add(pushUrl: string, types: readonly EventTypeName[]): Promise<{ created: number; reused: number }> {
    const existing = await this.#api.call<Webhook[]>('GET', `${path}?type=${types.join(',')}`);
    for (const type of types) {
      const known = existing.find((webhook) => webhook.type === type && webhook.pushUrl === pushUrl);
      await (known ? this.#reuse(known) : this.#create(pushUrl, type));
    }
    return { created: this.#created.length, reused: types.length - this.#created.length };
  }

  /** Deletes the created webhooks. Returns the ids of those that could not be deleted. */
  async remove(): Promise<number[]> {
    const left: number[] = [];
    for (const id of this.#created) {
      await this.#api.call('DELETE', `${path}/${id}`).catch((error) => {
        if (!(error instanceof ApiError && error.code === 404)) left.push(id);
      });
    }
    this.#created = [];
    return left;
  }

  async #create(pushUrl: string, type: EventTypeName): Promise<void> {
    const webhook = { pushUrl, type, description: 'waypost listen' };
    const { id, secret } = await this.#api.call<Webhook & { secret: string }>('POST', path, webhook);
    this.#created.push(id);
    this.#secrets.set(type, secret);
  }

  /** Enabling the webhook also ends a pause after failures. */
  async #reuse({ id }: Webhook): Promise<void> {
    await this.#api.call('PATCH', `${path}/${id}`, { enabled: true });
  }
}
