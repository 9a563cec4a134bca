import { InvalidSetting, oneOf, wholeNumber } from '../../config/parse.ts';
import type { SandboxListing } from '../../modules/directories/index.ts';
import { flag, readOption, required, UsageError, value } from '../command.ts';
import {
  chosenDirectory,
  chosenListing,
  defineAction,
  listingOptions,
  printLine,
  withSandbox,
} from './sandbox-client.ts';

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

/** Lists, numbers and booleans are JSON; everything else is text. */
function readValue(text: string): unknown {
  if (!/^(\[|\{|true$|false$|-?\d+\.\d+$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const types = ['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION'] as const;

function stars(text: string): number {
  const value = /^[0-5](\.\d)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 5)) throw new InvalidSetting('a number of stars from 0 to 5');
  return value;
}

function directoryAndId(operands: readonly string[], kind: string): { directory: string; id: string } {
  const directory = chosenDirectory(operands[0]);
  const list = kind === 'listing' ? 'listings' : 'datapoints';
  const problem = `The ID of the ${kind} is missing. "waypost sandbox ${list}" prints the IDs.`;
  return { directory, id: required(operands[1], problem) };
}

/** Actions on listings, their datapoints and replies. */
export const listingActions = {
  listings: defineAction({
    usage: 'listings [DIRECTORY] [--text TEXT]',
    summary: 'list listings, newest first; --text filters by name',
    options: { text: value },
    operands: 1,
    run: async ({ text }, [typed]) => {
      const query = { ...(typed !== undefined && { directory: chosenDirectory(typed) }), ...(text && { text }) };
      const { listings } = await withSandbox((control) => control.listings(query));
      for (const listing of listings) printLine(line(listing));
    },
  }),
  drift: defineAction({
    usage: 'drift DIRECTORY LISTING [--field FIELD | --set FIELD=VALUE]',
    summary: 'change a field of a listing, randomly or to a value',
    options: { field: value, set: value, ...listingOptions },
    operands: 2,
    run: async (given, operands) => {
      const { directory, id } = await chosenListing(given, operands);
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
    usage: 'duplicate DIRECTORY LISTING',
    summary: 'create a duplicate listing',
    options: listingOptions,
    operands: 2,
    run: async (given, operands) => {
      const { directory, id } = await chosenListing(given, operands);
      printLine(line(await withSandbox((control) => control.duplicateListing(directory, id))));
    },
  }),
  decide: defineAction({
    usage: 'decide DIRECTORY LISTING [--as accepted|refused] [--message TEXT]',
    summary: "end the directory's review of a submission; --message is the reason of a refusal",
    options: { as: value, message: value, ...listingOptions },
    operands: 2,
    run: async (given, operands) => {
      const decision = readOption('--as', given.as ?? 'accepted', oneOf('accepted', 'refused'));
      if (given.message !== undefined && decision === 'accepted') {
        throw new UsageError('--message requires --as refused.');
      }
      const { directory, id } = await chosenListing(given, operands);
      const upper = decision === 'accepted' ? 'ACCEPTED' : 'REFUSED';
      await withSandbox((control) => control.decideListing(directory, id, upper, given.message));
      printLine(`${directory} ${id} ${decision}`);
    },
  }),
  seed: defineAction({
    usage: 'seed DIRECTORY LISTING [--days N] [--per-month N]',
    summary: 'add past datapoints with replies, and insights',
    options: { days: value, 'per-month': value, ...listingOptions },
    operands: 2,
    run: async (given, operands) => {
      const { directory, id } = await chosenListing(given, operands);
      const days = readOption('--days', given.days ?? '365', wholeNumber(1, 3650));
      const perMonth = readOption('--per-month', given['per-month'], wholeNumber(0, 1000));
      const history = { days, ...(perMonth !== undefined && { perMonth }) };
      const { dataPoints } = await withSandbox((control) => control.seed(directory, id, history));
      printLine(`${directory} ${id} has ${days} days of history with ${dataPoints} datapoints`);
    },
  }),
  datapoints: defineAction({
    usage: 'datapoints DIRECTORY LISTING',
    summary: 'list the datapoints of a listing with their replies',
    options: listingOptions,
    operands: 2,
    run: async (given, operands) => {
      const { directory, id } = await chosenListing(given, operands);
      const { dataPoints } = await withSandbox((control) => control.dataPoints(directory, { listing: id }));
      for (const { replies, ...point } of dataPoints) {
        const rating = point.rating === undefined ? '' : `${point.rating}★ `;
        const suffix = point.removed ? '  (removed)' : '';
        printLine(`${point.id}  ${point.type}  ${point.date}  ${point.author}  ${rating}${point.text ?? ''}${suffix}`);
        for (const reply of replies) {
          const author = reply.isOwner ? `${reply.author} (owner)` : reply.author;
          printLine(`  ${reply.id}  ${author}  ${reply.text}${reply.removed ? '  (removed)' : ''}`);
        }
      }
    },
  }),
  review: defineAction({
    usage:
      'review DIRECTORY LISTING [--rating N] [--text TEXT] [--author NAME] [--language L] [--type TYPE] [--brand BRANDPAGE]',
    summary: 'add a review or another type of datapoint; missing values are generated',
    options: {
      rating: value,
      text: value,
      author: value,
      language: value,
      type: value,
      brand: value,
      ...listingOptions,
    },
    operands: 2,
    run: async (given, operands) => {
      const rating = readOption('--rating', given.rating, stars);
      const type = readOption('--type', (given.type ?? 'REVIEW').toUpperCase(), oneOf(...types));
      const { text, author, language } = given;
      const dataPoint = {
        type,
        ...(rating !== undefined && { rating }),
        ...(text && { text }),
        ...(author && { author }),
        ...(language && { language }),
      };
      const { directory, target } = await reviewTarget(given, operands);
      const { id } = await withSandbox((control) => control.postDataPoint(directory, target, dataPoint));
      printLine(`${id} ${type} on ${directory}`);
    },
  }),
  edit: defineAction({
    usage: 'edit DIRECTORY DATAPOINT [--text TEXT] [--rating N]',
    summary: 'edit a datapoint as its author',
    options: { text: value, rating: value },
    operands: 2,
    run: async ({ text, rating }, operands) => {
      const { directory, id } = directoryAndId(operands, 'datapoint');
      const change = {
        ...(text !== undefined && { text }),
        ...(rating !== undefined && { rating: readOption('--rating', rating, stars) }),
      };
      await withSandbox((control) => control.editDataPoint(directory, id, change));
      printLine(`${id} edited on ${directory}`);
    },
  }),
  remove: defineAction({
    usage: 'remove DIRECTORY ID [--kind datapoint|reply|listing]',
    summary: 'remove a datapoint, a reply or a listing',
    options: { kind: value },
    operands: 2,
    run: async (given, operands) => {
      // Older scripts use "page".
      const typed = given.kind === 'page' ? 'listing' : (given.kind ?? 'datapoint');
      const kind = readOption('--kind', typed, oneOf('datapoint', 'reply', 'listing'));
      const { directory, id } = directoryAndId(operands, kind);
      await withSandbox((control) => {
        if (kind === 'listing') return control.removeListing(directory, id);
        return kind === 'reply' ? control.removeReply(directory, id) : control.removeDataPoint(directory, id);
      });
      printLine(`${kind} ${id} removed from ${directory}`);
    },
  }),
  restore: defineAction({
    usage: 'restore DIRECTORY ID [--kind datapoint|reply]',
    summary: 'restore a removed datapoint or reply',
    options: { kind: value },
    operands: 2,
    run: async (given, operands) => {
      const kind = readOption('--kind', given.kind ?? 'datapoint', oneOf('datapoint', 'reply'));
      const { directory, id } = directoryAndId(operands, kind);
      await withSandbox((control) =>
        kind === 'reply' ? control.restoreReply(directory, id) : control.restoreDataPoint(directory, id),
      );
      printLine(`${kind} ${id} restored on ${directory}`);
    },
  }),
  reply: defineAction({
    usage: 'reply DIRECTORY DATAPOINT --text TEXT [--owner] [--author NAME]',
    summary: 'add a reply, with --owner as the owner',
    options: { text: value, owner: flag, author: value },
    operands: 2,
    run: async ({ text, owner = false, author }, operands) => {
      const { directory, id } = directoryAndId(operands, 'datapoint');
      if (!text) throw new UsageError('--text is missing. Set the text of the reply.');
      const reply = { text, isOwner: owner, ...(author && { author }) };
      const created = await withSandbox((control) => control.addReply(directory, id, reply));
      printLine(`${created.id} reply to ${id} on ${directory}`);
    },
  }),
};

/** The brand page of --brand, otherwise the chosen listing. */
async function reviewTarget(
  given: Parameters<typeof chosenListing>[0] & { brand?: string },
  operands: readonly string[],
) {
  if (given.brand !== undefined) {
    return { directory: chosenDirectory(operands[0]), target: { brandPage: given.brand } };
  }
  const { directory, id } = await chosenListing(given, operands);
  return { directory, target: { listing: id } };
}
