import { setTimeout } from 'node:timers/promises';

/** Longer than test files take that compare days. */
const margin = 90_000;
const day = 86_400_000;

// Tests read the day before a call and compare it with a day that the platform read, so none starts before midnight.
const untilMidnight = day - (Date.now() % day);
if (untilMidnight < margin) await setTimeout(untilMidnight);
