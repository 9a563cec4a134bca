import { startSandbox } from './sandbox.ts';

/**
 * The network as a program: "node sandbox/main.ts [FILE OF ITS STATE]". Settings come by the environment, its address
 * goes to the standard output as one line of JSON, and its end is the end of the standard input: a parent that is gone,
 * however it went, leaves nothing behind.
 */
const file = process.argv[2];
const { SANDBOX_KEY, SANDBOX_PORT, SANDBOX_HOST, SANDBOX_SEED, SANDBOX_LATENCY, SANDBOX_LIFE } = process.env;

if (!SANDBOX_KEY) {
  process.stderr.write('Set SANDBOX_KEY to the key of the installation that shall use the sandbox.\n');
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
// Ctrl-C reaches every process of the terminal; the parent decides when it is time.
process.on('SIGINT', () => {});
process.on('SIGTERM', end);
