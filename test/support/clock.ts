import { onTestFinished } from 'vitest';

const clockShift = (byMs: number) => `{
  const real = globalThis.Date, by = ${byMs};
  globalThis.Date = class extends real {
    constructor(...given) { given.length > 0 ? super(...given) : super(real.now() + by); }
    static now() { return real.now() + by; }
  };
}`;

/** The environment of a process with a wrong wall clock; its monotonic clock is correct. */
export const shiftedClockEnv = (byMs: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(clockShift(byMs)).toString('base64')}`,
});

/** Shifts the wall clock of this process until the end of the test. */
export function shiftClock(byMs: number): void {
  const right = globalThis.Date;
  onTestFinished(() => {
    globalThis.Date = right;
  });
  // biome-ignore lint/security/noGlobalEval: the same code as in another process
  globalThis.eval(clockShift(byMs));
}
