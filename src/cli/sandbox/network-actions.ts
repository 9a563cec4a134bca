import { duration, oneOf, onOrOff, wholeNumber } from '../../config/parse.ts';
import type { FailureMode, SandboxStatus } from '../../modules/directories/index.ts';
import { flag, readOption, required, table, UsageError, value } from '../command.ts';
import { chosenDirectories, chosenDirectory, defineAction, printLine, withSandbox } from './sandbox-client.ts';

const seconds = duration('s', '1s', '366d');

async function trouble(
  kind: FailureMode,
  how: string,
  { for: time }: { for?: string },
  [typed]: string[],
): Promise<void> {
  const directories = chosenDirectories(typed);
  const until = readOption('--for', time, seconds);
  await withSandbox((control) => Promise.all(directories.map((type) => control.simulateFailure(type, kind, until))));
  const end = time === undefined ? 'until "waypost sandbox up"' : `for ${time}`;
  for (const type of directories) printLine(`${type} ${how} (${kind}) ${end}`);
}

/** Actions on directories and the whole network. */
export const networkActions = {
  status: defineAction({
    usage: 'status',
    summary: 'show the directories with their counts and state',
    run: async () => void process.stdout.write(statusText(await withSandbox((control) => control.status()))),
  }),
  down: defineAction({
    usage: 'down DIRECTORY|all [--for TIME] [--how error|hang|reset]',
    summary: 'simulate an outage',
    options: { for: value, how: value },
    operands: 1,
    run: (given, operands) =>
      trouble(readOption('--how', given.how ?? 'error', oneOf('error', 'hang', 'reset')), 'is down', given, operands),
  }),
  garbage: defineAction({
    usage: 'garbage DIRECTORY|all [--for TIME] [--how garbage|html|empty|truncated|wrong-shape|huge|repeat]',
    summary: 'simulate invalid or repeated responses',
    options: { for: value, how: value },
    operands: 1,
    run: (given, operands) => {
      const kinds = oneOf('garbage', 'html', 'empty', 'truncated', 'wrong-shape', 'huge', 'repeat');
      return trouble(readOption('--how', given.how ?? 'garbage', kinds), 'returns invalid responses', given, operands);
    },
  }),
  up: defineAction({
    usage: 'up DIRECTORY|all',
    summary: 'end an outage or invalid responses',
    operands: 1,
    run: async (_, [typed]) => {
      const directories = chosenDirectories(typed);
      await withSandbox((control) => Promise.all(directories.map((type) => control.endFailure(type))));
      for (const type of directories) printLine(`${type} is up`);
    },
  }),
  limit: defineAction({
    usage: 'limit DIRECTORY REQUESTS [--per TIME]',
    summary: 'limit requests per time (default: 1s); "none" restores the default limit',
    options: { per: value },
    operands: 2,
    run: async ({ per = '1s' }, [typed, text]) => {
      const type = chosenDirectory(typed);
      const amount = required(text, 'REQUESTS is missing. Set a number, or none.');
      if (amount === 'none') {
        await withSandbox((control) => control.setLimit(type, null));
        return printLine(`${type} uses its default limit`);
      }
      const requests = readOption('REQUESTS', amount, wholeNumber(1, 1_000_000));
      const perSeconds = readOption('--per', per, duration('s', '1ms', '1d'));
      await withSandbox((control) => control.setLimit(type, { requests, perSeconds }));
      printLine(`${type} allows ${requests} requests per ${per}`);
    },
  }),
  slow: defineAction({
    usage: 'slow DIRECTORY TIME',
    summary: 'delay each response, for example by 500ms; 0ms for no delay',
    operands: 2,
    run: async (_, [typed, text]) => {
      const type = chosenDirectory(typed);
      const time = required(text, 'TIME is missing. Set a duration such as 500ms.');
      const milliseconds = readOption('TIME', time, duration('ms', '0ms', '10m'));
      await withSandbox((control) => control.setLatency(type, milliseconds));
      printLine(`${type} responds after ${time}`);
    },
  }),
  life: defineAction({
    usage: 'life on|off',
    summary: 'enable or disable simulated reviews and changes',
    operands: 1,
    run: async (_, [typed]) => {
      const on = readOption('life', required(typed, 'The state is missing. Set on or off.'), onOrOff);
      await withSandbox((control) => control.setLife(on));
      printLine(`life is ${on ? 'on' : 'off'}`);
    },
  }),
  pass: defineAction({
    usage: 'pass TIME',
    summary: "advance the network's clock, for example by 1d, including simulated activity",
    operands: 1,
    run: async (_, [typed]) => {
      const time = required(typed, 'TIME is missing. Set a duration such as 1h or 1d.');
      const { now } = await withSandbox((control) => control.advanceClock(readOption('TIME', time, seconds)));
      printLine(`the time of the network is ${now}`);
    },
  }),
  reset: defineAction({
    usage: 'reset --yes',
    summary: 'delete all listings, datapoints and settings of the network',
    options: { yes: flag },
    run: async ({ yes }) => {
      if (!yes) throw new UsageError('This deletes all data of the sandbox network. Add --yes to confirm.');
      await withSandbox((control) => control.reset());
      printLine('the sandbox network is empty');
    },
  }),
};

function statusText({ now, life, seed, directories }: SandboxStatus): string {
  const rows = directories.map(({ type, trouble: current, limit, ...counts }) => [
    type,
    String(counts.listings),
    String(counts.brandPages),
    String(counts.dataPoints),
    String(counts.requests),
    `${limit.requests}/${limit.perSeconds}s`,
    current ? `${current.kind}${current.until ? ` until ${current.until}` : ''}` : 'ok',
  ]);
  const head = ['directory', 'listings', 'brand pages', 'datapoints', 'requests', 'limit', 'state'];
  return `time ${now}, life is ${life ? 'on' : 'off'}, seed ${seed}\n\n${table([head, ...rows])}`;
}
