import { type DataPointKind, rulesOfType } from '../directories/directory-rules.ts';
import { RequestError } from '../http/request-error.ts';
import type { NewDataPoint } from '../state/data-point-store.ts';
import type { Network } from '../state/network.ts';
import { type Page, updatePage } from '../state/page-store.ts';
import { compose } from './compose.ts';
import { driftable, driftField } from './drift.ts';
import { pick, seededRandom } from './seeded-random.ts';
import { minuteMs, simulateMinute } from './simulate-minute.ts';
import { languageIn, reviewText } from './texts/write.ts';

// After a longer downtime, only the last two days are simulated.
const maxCatchUpMinutes = 2 * 1440;

/** Simulates customer activity minute by minute while it is enabled. */
export class Activity {
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  get isEnabled(): boolean {
    return this.#network.fact('life') === 'on';
  }

  setEnabled(enabled: boolean): void {
    if (enabled && !this.isEnabled) this.#network.setFact('lived', this.#currentMinute());
    this.#network.setFact('life', enabled ? 'on' : 'off');
  }

  /** Simulates each elapsed minute once, also across restarts. */
  catchUp(): void {
    if (!this.isEnabled) return;
    const network = this.#network;
    const now = this.#currentMinute();
    const next = Number(network.fact('lived') ?? now);
    for (let minute = Math.max(next, now - maxCatchUpMinutes); minute < now; minute += 1) {
      network.sql.transaction(() => {
        simulateMinute(network, minute);
        network.setFact('lived', minute + 1);
      });
    }
  }

  compose(page: Page, type: DataPointKind): Omit<NewDataPoint, 'actedAt'> {
    return compose(this.#random('write'), this.#network.seed, page, type);
  }

  /** A review text that matches the rating. Empty for other types. */
  reviewFor(page: Page, type: DataPointKind, rating: number): { text?: string; language?: string } {
    if (type !== 'REVIEW') return {};
    const random = this.#random('words');
    const language = languageIn(random, page.profile.country);
    return { language, text: reviewText(random, language, page.business, rating) };
  }

  drift(page: Page, field: string | undefined): { page: Page; field: string } {
    const random = this.#random('drift');
    const fields = driftable(page.profile, rulesOfType(page.directory)?.fields ?? []);
    if (field !== undefined && !fields.includes(field)) {
      throw new RequestError(422, `Field "${field}" cannot change on this page. Use one of ${fields.join(', ')}.`);
    }
    const chosen = field ?? pick(random, fields);
    const drifted = { ...page, profile: driftField(random, page.profile, chosen) };
    updatePage(this.#network, drifted);
    return { page: drifted, field: chosen };
  }

  #random(purpose: string) {
    return seededRandom(this.#network.seed, purpose, this.#network.nextNumber());
  }

  #currentMinute(): number {
    return Math.floor(this.#network.now() / minuteMs);
  }
}
