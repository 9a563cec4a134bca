import { oneOf, wholeNumber } from '../../config/parse.ts';
import type { SandboxListing } from '../../modules/directories/index.ts';
import { readOption, UsageError, value } from '../command.ts';
import { chosenDirectory, chosenPage, defineAction, pageOptions, printLine, withSandbox } from './desk.ts';

const line = ({ directory, id, profile, claim, duplicateOf, pending }: SandboxListing) =>
  [
    directory.padEnd(12),
    id,
    claim,
    profile.name,
    profile.phone ?? '',
    ...(duplicateOf ? [`duplicate of ${duplicateOf}`] : []),
    ...(pending ? ['under review'] : []),
  ].join('  ');

/** Actions on pages. */
export const pageActions = {
  listings: defineAction({
    usage: 'listings [DIRECTORY] [--text TEXT]',
    summary: 'list pages, newest first; --text filters by name',
    options: { text: value },
    operands: 1,
    work: async ({ text }, [typed]) => {
      const query = { ...(typed !== undefined && { directory: chosenDirectory(typed) }), ...(text && { text }) };
      const { listings } = await withSandbox((control) => control.listings(query));
      for (const listing of listings) printLine(line(listing));
    },
  }),
  drift: defineAction({
    usage: 'drift DIRECTORY PAGE [--field FIELD | --set FIELD=VALUE]',
    summary: 'change a field of a page, randomly or to a value',
    options: { field: value, set: value, ...pageOptions },
    operands: 2,
    work: async (given, operands) => {
      const { directory, id } = await chosenPage(given, operands);
      if (given.set === undefined) {
        const drifted = await withSandbox((control) => control.driftListing(directory, id, given.field));
        const value = drifted.profile[drifted.field as keyof typeof drifted.profile];
        return printLine(`${directory} ${id} now shows ${drifted.field} ${JSON.stringify(value)}`);
      }
      const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(given.set) ?? [];
      if (field === '') throw new UsageError(`--set is "${given.set}": write it as FIELD=VALUE.`);
      const profile = { [field]: value === '' ? null : readValue(value) };
      await withSandbox((control) => control.changeListing(directory, id, { profile }));
      printLine(`${directory} ${id} now shows ${field} ${value === '' ? 'no value' : value}`);
    },
  }),
  duplicate: defineAction({
    usage: 'duplicate DIRECTORY PAGE',
    summary: 'create a duplicate page',
    options: pageOptions,
    operands: 2,
    work: async (given, operands) => {
      const { directory, id } = await chosenPage(given, operands);
      printLine(line(await withSandbox((control) => control.duplicateListing(directory, id))));
    },
  }),
  decide: defineAction({
    usage: 'decide DIRECTORY PAGE --as accepted|refused [--message TEXT]',
    summary: "end the directory's review of a submission; --message is the reason of a refusal",
    options: { as: value, message: value, ...pageOptions },
    operands: 2,
    work: async (given, operands) => {
      const decision = readOption('--as', given.as ?? 'accepted', oneOf('accepted', 'refused'));
      if (given.message !== undefined && decision === 'accepted') {
        throw new UsageError('--message requires --as refused.');
      }
      const { directory, id } = await chosenPage(given, operands);
      const upper = decision === 'accepted' ? 'ACCEPTED' : 'REFUSED';
      await withSandbox((control) => control.decideListing(directory, id, upper, given.message));
      printLine(`${directory} ${id} ${decision}`);
    },
  }),
  seed: defineAction({
    usage: 'seed DIRECTORY PAGE [--days N] [--per-month N]',
    summary: 'add past datapoints with replies, and insights',
    options: { days: value, 'per-month': value, ...pageOptions },
    operands: 2,
    work: async (given, operands) => {
      const { directory, id } = await chosenPage(given, operands);
      const days = readOption('--days', given.days ?? '365', wholeNumber(1, 3650));
      const wanted = given['per-month'];
      const perMonth =
        wanted === undefined ? {} : { perMonth: readOption('--per-month', wanted, wholeNumber(0, 1000)) };
      const { dataPoints } = await withSandbox((control) => control.seed(directory, id, { days, ...perMonth }));
      printLine(`${directory} ${id} has ${days} days of history with ${dataPoints} datapoints`);
    },
  }),
};

/** Lists, numbers and booleans are JSON; everything else is text. */
function readValue(text: string): unknown {
  if (!/^(\[|\{|true$|false$|-?\d+\.\d+$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
