import type { DataPointKind } from '../directories/directory-rules.ts';
import { rulesOfType } from '../directories/directory-rules.ts';
import { Refusal } from '../http/refusal.ts';
import type { NewDataPoint } from '../state/data-point-store.ts';
import type { Network } from '../state/network.ts';
import { type Page, updatePage } from '../state/page-store.ts';
import { compose } from './compose.ts';
import { diceOf, pick } from './seeded-random.ts';
import { driftable, driftField } from './drift.ts';
import { giveHistory } from './history.ts';
import { liveMinute, minuteMs } from './minute.ts';
import { languageIn, reviewText } from './texts/write.ts';

// Longer absences are not made up for: nobody looks through a week of reviews that arrive at once.
const longestAbsenceMinutes = 2 * 1440;

/** What happens in the network by itself, minute by minute, as long as it is switched on. */
export class Life {
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  get isOn(): boolean {
    return this.#network.fact('life') === 'on';
  }

  switch(on: boolean): void {
    if (on && !this.isOn) this.#network.keep('lived', this.#thisMinute());
    this.#network.keep('life', on ? 'on' : 'off');
  }

  /** Lives through the minutes that are over, each once, also across a restart. */
  catchUp(): void {
    if (!this.isOn) return;
    const network = this.#network;
    const now = this.#thisMinute();
    const lived = Number(network.fact('lived') ?? now);
    for (let minute = Math.max(lived, now - longestAbsenceMinutes); minute < now; minute += 1) {
      network.sql.transaction(() => {
        liveMinute(network, minute);
        network.keep('lived', minute + 1);
      });
    }
  }

  /** Something that a visitor might leave there now. */
  write(page: Page, type: DataPointKind): Omit<NewDataPoint, 'actedAt'> {
    return compose(this.#dice('write'), this.#network.seed, page, type);
  }

  /** What a visitor might say who gives so many stars; nothing where there are no stars. */
  words(page: Page, type: DataPointKind, rating: number): { text?: string; language?: string } {
    if (type !== 'REVIEW') return {};
    const dice = this.#dice('words');
    const language = languageIn(dice, page.profile.country);
    return { language, text: reviewText(dice, language, page.business, rating) };
  }

  drift(page: Page, field: string | undefined): { page: Page; field: string } {
    const dice = this.#dice('drift');
    const fields = driftable(page.profile, rulesOfType(page.directory)?.shows ?? []);
    if (field !== undefined && !fields.includes(field)) {
      throw new Refusal(422, `"${field}" cannot drift on this page: ${fields.join(', ')} can.`);
    }
    const chosen = field ?? pick(dice, fields);
    const drifted = { ...page, profile: driftField(dice, page.profile, chosen) };
    updatePage(this.#network, drifted);
    return { page: drifted, field: chosen };
  }

  giveHistory(page: Page, days: number, perMonth: number | undefined): number {
    return this.#network.sql.transaction(() => giveHistory(this.#network, page, days, perMonth));
  }

  #dice(what: string) {
    return diceOf(this.#network.seed, what, this.#network.count());
  }

  #thisMinute(): number {
    return Math.floor(this.#network.now() / minuteMs);
  }
}
