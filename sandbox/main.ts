import { startSandbox } from './sandbox.ts';

/**
 * Usage: node sandbox/main.ts [STATE_FILE], with settings from the environment. Prints its URL as a line of JSON. Exits
 * when the standard input ends, so that it never outlives its parent process.
 */
const file = process.argv[2];
const { SANDBOX_KEY, SANDBOX_PORT, SANDBOX_HOST, SANDBOX_SEED, SANDBOX_LATENCY, SANDBOX_LIFE } = process.env;

if (!SANDBOX_KEY) {
  process.stderr.write('SANDBOX_KEY is required. Set it to the key of the installation that uses the sandbox.\n');
  process.exit(2);
}

const sandbox = await startSandbox({
  key: SANDBOX_KEY,
  ...(file && { file }),
  ...(SANDBOX_PORT && { port: Number(SANDBOX_PORT) }),
  ...(SANDBOX_HOST && { host: SANDBOX_HOST }),
  ...(SANDBOX_SEED && { seed: Number(SANDBOX_SEED) }),
  ...(SANDBOX_LIFE && { life: SANDBOX_LIFE === 'on' }),
  latency: Number(SANDBOX_LATENCY ?? 15),
});
process.stdout.write(`${JSON.stringify({ url: sandbox.url })}\n`);

let ending = false;
const end = async () => {
  if (ending) return;
  ending = true;
  await sandbox.close();
  process.exit(0);
};
process.stdin.on('end', end).on('close', end).on('error', end).resume();
// Ctrl-C is sent to every process of the terminal. The parent ends the sandbox.
process.on('SIGINT', () => {});
process.on('SIGTERM', end);
