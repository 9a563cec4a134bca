import { InvalidSetting, oneOf } from '../../config/parse.ts';
import { readOption, UsageError } from '../command.ts';
import { atDesk, chosenDirectory, chosenPage, defineAction, pageOptions, say } from './desk.ts';

const types = ['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION'] as const;

function stars(text: string): number {
  const value = /^[0-5](\.\d)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 5)) throw new InvalidSetting('a number of stars from 0 to 5');
  return value;
}

function named(operands: readonly string[], what: string): { directory: string; id: string } {
  const directory = chosenDirectory(operands[0]);
  const id = operands[1];
  if (id === undefined)
    throw new UsageError(`The id of the ${what} is missing. "waypost sandbox datapoints" prints the ids.`);
  return { directory, id };
}

/** Actions of visitors and owners on a page. */
export const dataPointActions = {
  datapoints: defineAction({
    usage: 'datapoints DIRECTORY PAGE',
    summary: 'list the datapoints of a page with their replies',
    options: pageOptions,
    operands: 2,
    work: async (given, operands) => {
      const { directory, id } = await chosenPage(given, operands);
      const { dataPoints } = await atDesk((control) => control.dataPoints(directory, { listing: id }));
      for (const { replies, ...point } of dataPoints) {
        const rating = point.rating === undefined ? '' : `${point.rating}★ `;
        const gone = point.removed ? '  (removed)' : '';
        say(`${point.id}  ${point.type}  ${point.date}  ${point.author}  ${rating}${point.text ?? ''}${gone}`);
        for (const reply of replies) {
          const who = reply.isOwner ? `${reply.author} (owner)` : reply.author;
          say(`  ${reply.id}  ${who}  ${reply.text}${reply.removed ? '  (removed)' : ''}`);
        }
      }
    },
  }),
  review: defineAction({
    usage:
      'review DIRECTORY PAGE [--rating N] [--text TEXT] [--author NAME] [--language L] [--type TYPE] [--brand BRANDPAGE]',
    summary: 'add a review or another type of datapoint; missing values are generated',
    options: {
      rating: { type: 'string' },
      text: { type: 'string' },
      author: { type: 'string' },
      language: { type: 'string' },
      type: { type: 'string' },
      brand: { type: 'string' },
      ...pageOptions,
    },
    operands: 2,
    work: async (given, operands) => {
      const rating = given.rating === undefined ? {} : { rating: readOption('--rating', given.rating, stars) };
      const type = readOption('--type', (given.type ?? 'REVIEW').toUpperCase(), oneOf(...types));
      const { text, author, language } = given;
      const said = { type, ...rating, ...(text && { text }), ...(author && { author }), ...(language && { language }) };
      const { directory, place } = await placeOf(given, operands);
      const { id } = await atDesk((control) => control.postDataPoint(directory, place, said));
      say(`${id} ${type} on ${directory}`);
    },
  }),
  edit: defineAction({
    usage: 'edit DIRECTORY DATAPOINT [--text TEXT] [--rating N]',
    summary: 'edit a datapoint as its author',
    options: { text: { type: 'string' }, rating: { type: 'string' } },
    operands: 2,
    work: async ({ text, rating }, operands) => {
      const { directory, id } = named(operands, 'datapoint');
      const change = {
        ...(text !== undefined && { text }),
        ...(rating !== undefined && { rating: readOption('--rating', rating, stars) }),
      };
      await atDesk((control) => control.editDataPoint(directory, id, change));
      say(`${id} edited on ${directory}`);
    },
  }),
  remove: defineAction({
    usage: 'remove DIRECTORY ID [--kind datapoint|reply|page]',
    summary: 'remove a datapoint, a reply or a page',
    options: { kind: { type: 'string' } },
    operands: 2,
    work: async (given, operands) => {
      const kind = readOption('--kind', given.kind ?? 'datapoint', oneOf('datapoint', 'reply', 'page'));
      const { directory, id } = named(operands, kind);
      await atDesk((control) => {
        if (kind === 'page') return control.removeListing(directory, id);
        return kind === 'reply' ? control.removeReply(directory, id) : control.removeDataPoint(directory, id);
      });
      say(`${kind} ${id} removed from ${directory}`);
    },
  }),
  restore: defineAction({
    usage: 'restore DIRECTORY ID [--kind datapoint|reply]',
    summary: 'restore a removed datapoint or reply',
    options: { kind: { type: 'string' } },
    operands: 2,
    work: async (given, operands) => {
      const kind = readOption('--kind', given.kind ?? 'datapoint', oneOf('datapoint', 'reply'));
      const { directory, id } = named(operands, kind);
      await atDesk((control) =>
        kind === 'reply' ? control.restoreReply(directory, id) : control.restoreDataPoint(directory, id),
      );
      say(`${kind} ${id} restored on ${directory}`);
    },
  }),
  reply: defineAction({
    usage: 'reply DIRECTORY DATAPOINT --text TEXT [--owner] [--author NAME]',
    summary: 'add a reply, with --owner as the owner',
    options: { text: { type: 'string' }, owner: { type: 'boolean' }, author: { type: 'string' } },
    operands: 2,
    work: async ({ text, owner = false, author }, operands) => {
      const { directory, id } = named(operands, 'datapoint');
      if (!text) throw new UsageError('--text is missing. Set the text of the reply.');
      const reply = { text, isOwner: owner, ...(author && { author }) };
      const written = await atDesk((control) => control.addReply(directory, id, reply));
      say(`${written.id} reply to ${id} on ${directory}`);
    },
  }),
};

/** The page of a location, or with --brand a brand page. */
async function placeOf(given: Parameters<typeof chosenPage>[0] & { brand?: string }, operands: readonly string[]) {
  if (given.brand !== undefined) {
    return { directory: chosenDirectory(operands[0]), place: { brandPage: given.brand } };
  }
  const { directory, id } = await chosenPage(given, operands);
  return { directory, place: { listing: id } };
}
