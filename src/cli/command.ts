import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestName } from '../config/nearest-name.ts';
import { InvalidSetting } from '../config/parse.ts';

/** The command was called in a way that makes no sense: exit code 2. */
export class UsageError extends Error {}

/** The command made sense and could not be carried out: exit code 1. The message says what to do about it. */
export class CommandError extends Error {}

interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** As it is typed after "waypost". */
  name: string;
  help: string;
  options: Options;
  /** How many arguments there may be that are no options. */
  operands?: number;
}

type Given<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>
>;

/** Reads the arguments, does the work, and answers the exit code. What goes wrong is said in a sentence on stderr. */
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
      process.stderr.write(
        `waypost ${line.name}: ${error.message}\n"waypost ${line.name} --help" shows how to use it.\n`,
      );
      return 2;
    }
    if (error instanceof CommandError) {
      process.stderr.write(`waypost ${line.name}: ${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

/** The value of an option that was given, read by one of the parsers of the settings. */
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
    if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many.`);
    return given;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    throw new UsageError(unknown === undefined ? firstSentence(message) : noSuchOption(unknown, Object.keys(options)));
  }
}

function noSuchOption(option: string, names: string[]): string {
  const nearest = nearestName(option.replace(/^-+/, ''), names);
  return `There is no option ${option}.${nearest === undefined ? '' : ` Did you mean --${nearest}?`}`;
}

const firstSentence = (message: string) => `${message.split(/\.?(\n|\. |$)/, 1)[0]}.`;
