import { commands } from './commands.ts';

/** What "waypost help" prints. */
export function helpText(): string {
  const widest = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(widest)}  ${summary}\n`);
  return `Usage: waypost COMMAND [options]\n\n${lines.join('')}\n"waypost COMMAND --help" shows how to use a command.\n`;
}
