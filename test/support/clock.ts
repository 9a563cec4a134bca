import { onTestFinished } from 'vitest';

const clockShift = (offsetMs: number) => `{
  const real = globalThis.Date, by = ${offsetMs};
  globalThis.Date = class extends real {
    constructor(...given) { given.length > 0 ? super(...given) : super(real.now() + by); }
    static now() { return real.now() + by; }
  };
}`;

/** The environment of a process with a wrong wall clock; its monotonic clock is correct. */
export const shiftedClockEnv = (offsetMs: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(clockShift(offsetMs)).toString('base64')}`,
});

/** Shifts the wall clock of this process until the end of the test. */
export function shiftClock(offsetMs: number): void {
  const realDate = globalThis.Date;
  onTestFinished(() => {
    globalThis.Date = realDate;
  });
  // biome-ignore lint/security/noGlobalEval: the same code as in another process
  globalThis.eval(clockShift(offsetMs));
}
