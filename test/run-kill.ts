/** Runs the kill test with more events: npm run test:kill -- --events 1000000 [--seed 42]. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { events: { type: 'string' }, seed: { type: 'string' } } });
const { events = '1000000', seed } = values;
validate(
  '--events',
  Number(events) >= 20_000 && Number(events) % 200 === 0,
  'a multiple of 200, at least 20000',
  events,
);
validate('--seed', seed === undefined || Number.isSafeInteger(Number(seed)), 'an integer', seed);

const { status } = spawnSync('npx', ['vitest', 'run', 'test/kill.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, KILL_TEST_EVENTS: events, ...(seed && { KILL_TEST_SEED: seed }) },
});
process.exitCode = status ?? 1;

function validate(name: string, isValid: boolean, rule: string, value: unknown): void {
  if (isValid) return;
  process.stderr.write(`${name} must be ${rule}, not ${value}.\n`);
  process.exit(2);
}
