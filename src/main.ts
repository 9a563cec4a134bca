import { commands } from './cli/commands.ts';
import { helpText } from './cli/help.ts';
import { ConfigurationProblem } from './config.ts';

let isEnding = false;
for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader);

const [name = 'help', ...args] = process.argv.slice(2);
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

/** The reader of the output has gone, as in "waypost … | head": the command ends, a service in order. */
function endWithReader({ code = '' }: NodeJS.ErrnoException): void {
  const isService = process.listenerCount('SIGTERM') > 0;
  // A closed terminal is EIO. Any other fault, such as a full disk behind a log file, does not stop a service.
  const isGone = ['EPIPE', 'EIO'].includes(code);
  if (!isService) process.exit(isGone ? 0 : 1);
  if (isGone && !isEnding) process.kill(process.pid, 'SIGTERM');
  isEnding ||= isGone;
}
