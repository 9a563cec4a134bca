import { commands } from './cli/commands.ts';
import { ConfigurationProblem, version } from './config.ts';

let isStopping = false;
for (const stream of [process.stdout, process.stderr]) stream.on('error', exitWithReader);

const [name = 'help', ...args] = process.argv.slice(2);
if (name === '--version') {
  process.stdout.write(`${version}\n`);
  process.exit();
}
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;

if (!command) {
  const asked = ['help', '--help', '-h'].includes(name);
  if (!asked) process.stderr.write(`There is no command "${name}".\n\n`);
  process[asked ? 'stdout' : 'stderr'].write(helpText());
  process.exit(asked ? 0 : 2);
}

try {
  const run = await command.load();
  process.exitCode = await run(args);
} catch (error) {
  if (!(error instanceof ConfigurationProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The reader of the output is gone, as in "waypost … | head": exit, or shut down a running service. */
function exitWithReader({ code = '' }: NodeJS.ErrnoException): void {
  const isService = process.listenerCount('SIGTERM') > 0;
  // A closed terminal is EIO. Other errors, such as a full disk, do not stop a service.
  const isGone = ['EPIPE', 'EIO'].includes(code);
  if (!isService) process.exit(isGone ? 0 : 1);
  if (isGone && !isStopping) process.kill(process.pid, 'SIGTERM');
  isStopping ||= isGone;
}

function helpText(): string {
  const widest = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(widest)}  ${summary}\n`);
  return `Usage: waypost COMMAND [options]\n\n${lines.join('')}\n"waypost COMMAND --help" prints the usage of a command, "waypost --version" the version.\n`;
}
