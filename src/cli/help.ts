import { nearestName } from '../config/nearest-name.ts';
import { commands } from './commands.ts';

/** What "waypost" and "waypost help" print. */
export function help(): string {
  const widest = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(widest)}  ${summary}`);
  return `Usage: waypost COMMAND [options]\n\n${lines.join('\n')}\n\n"waypost COMMAND --help" shows how to use a command.\n`;
}

export function unknownCommand(typed: string): string {
  const nearest = nearestName(typed, Object.keys(commands));
  const advice = nearest === undefined ? '"waypost help" lists all.' : `Did you mean "waypost ${nearest}"?`;
  return `There is no command "${typed}". ${advice}\n`;
}
