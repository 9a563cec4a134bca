import { commands } from './cli/commands.ts';
import { helpText } from './cli/help.ts';
import { ConfigurationProblem } from './config.ts';

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
