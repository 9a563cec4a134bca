import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { InvalidSetting, wholeNumber } from '../config/parse.ts';
import { nearestName } from '../text.ts';

/** Invalid arguments: exit code 2. */
export class UsageError extends Error {}

/** The command failed: exit code 1. The message says what to do. */
export class CommandError extends Error {}

/** Types of options. */
export const value = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;

interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** The name after "waypost". */
  name: string;
  help: string;
  options: Options;
  /** Maximum number of positional arguments. */
  operands?: number;
}

export type Given<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>
>;

/** Parses the arguments, runs the command and returns the exit code. Errors are printed to stderr. */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  line: CommandLine<Options>,
  args: string[],
  work: (values: Given<Options>['values'], operands: string[]) => Promise<void>,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(line.help);
    return 0;
  }
  try {
    const { values, positionals } = read(line, args);
    await work(values, positionals);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`waypost ${line.name}: ${error.message}\n"waypost ${line.name} --help" prints the usage.\n`);
      return 2;
    }
    if (error instanceof CommandError) {
      process.stderr.write(`waypost ${line.name}: ${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

/** Runs the action that the first argument names, with the other arguments. */
export async function runAction(
  line: { name: string; help: string },
  actions: Readonly<Record<string, (args: string[]) => Promise<number>>>,
  args: string[],
): Promise<number> {
  const [action = '', ...rest] = args;
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (run) return run(rest);
  return runCommand({ ...line, options: {}, operands: Number.POSITIVE_INFINITY }, args, async () => {
    const names = Object.keys(actions);
    const problem = action === '' ? 'The action is missing.' : `There is no action "${action}".`;
    const nearest = nearestName(action, names);
    throw new UsageError(`${problem} ${nearest ? `Did you mean ${nearest}?` : `Actions: ${names.join(', ')}.`}`);
  });
}

/** A parser of ids, for `readOption`. */
export const anyId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Parses the value of an option with a parser of the settings. */
export function readOption<T>(option: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw new UsageError(`${option} is "${text}": set it to ${error.message}.`);
  }
}

function read<Options extends ParseArgsOptionsConfig>(
  { options, operands = 0 }: CommandLine<Options>,
  args: string[],
): Given<Options> {
  try {
    const given = parseArgs({ args, options, allowPositionals: true, strict: true }) as Given<Options>;
    const surplus = given.positionals[operands];
    if (surplus !== undefined) throw new UsageError(`"${surplus}" is an unexpected argument.`);
    return given;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    if (message.includes('argument is ambiguous')) {
      const option = message.split("'")[1];
      throw new UsageError(`${option} needs a value. Attach a value that starts with a hyphen: ${option}=VALUE.`);
    }
    throw new UsageError(unknown === undefined ? firstSentence(message) : unknownOption(unknown, Object.keys(options)));
  }
}

function unknownOption(option: string, names: string[]): string {
  const nearest = nearestName(option.replace(/^-+/, ''), names);
  return `There is no option ${option}.${nearest === undefined ? '' : ` Did you mean --${nearest}?`}`;
}

/** Rows as lines with aligned columns, for the terminal. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const firstSentence = (message: string) => `${message.split(/\.?(\n|\. |$)/, 1)[0]}.`;
