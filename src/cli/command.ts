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
  options?: Options;
  /** Maximum number of positional arguments. */
  operands?: number;
}

export type Given<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>
>;

/** Runs with the arguments after its name and returns the exit code. */
export type Command = (args: string[]) => Promise<number>;

/** A command that parses its arguments, and prints its errors to stderr. */
export const defineCommand =
  <const Options extends ParseArgsOptionsConfig>(
    line: CommandLine<Options>,
    work: (values: Given<Options>['values'], operands: string[]) => Promise<void>,
  ): Command =>
  async (args) => {
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(line.help);
      return 0;
    }
    try {
      const { values, positionals } = read(line, args);
      await work(values, positionals);
      return 0;
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof CommandError)) throw error;
      process.stderr.write(`waypost ${line.name}: ${error.message}\n`);
      if (error instanceof CommandError) return 1;
      process.stderr.write(`"waypost ${line.name} --help" prints the usage.\n`);
      return 2;
    }
  };

/** A command whose first argument names the action that runs with the other arguments. */
export function commandOfActions(
  line: { name: string; help: string },
  actions: Readonly<Record<string, Command>>,
): Command {
  const names = Object.keys(actions);
  const refuse = defineCommand({ ...line, operands: Number.POSITIVE_INFINITY }, async (_, [action = '']) => {
    const problem = action === '' ? 'The action is missing.' : `There is no action "${action}".`;
    throw new UsageError(`${problem} ${suggestion(action, names, 'Actions')}`);
  });
  return (args) => {
    const [action = '', ...rest] = args;
    const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
    return run ? run(rest) : refuse(args);
  };
}

/** Names the nearest one, or all if none is close. */
export function suggestion(typed: string, names: readonly string[], title: string): string {
  const nearest = nearestName(typed, names);
  return nearest ? `Did you mean ${nearest}?` : `${title}: ${names.join(', ')}.`;
}

/** An operand or option that must be given. */
export function required(text: string | undefined, problem: string): string {
  if (text === undefined) throw new UsageError(problem);
  return text;
}

/** A parser of ids, for `readOption`. */
export const anyId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Parses the value of an option, if it is given, with a parser of the settings. */
export function readOption<T, Text extends string | undefined>(
  option: string,
  text: Text,
  parse: (text: string) => T,
): T | Extract<Text, undefined> {
  if (text === undefined) return text as Extract<Text, undefined>;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw new UsageError(`${option} is "${text}": set it to ${error.message}.`);
  }
}

function read<Options extends ParseArgsOptionsConfig>(
  { options = {} as Options, operands = 0 }: CommandLine<Options>,
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
