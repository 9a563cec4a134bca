import { Problem } from '../../../problems.ts';
import { described, renamed, type Shape, type VersionChange } from '../version-change.ts';

const names = renamed('SocialPost', 'dateStart', 'publicationDate');
const hasDatesOfItsOwn = new Set<unknown>(['OFFER', 'EVENT']);

export const publicationDate: VersionChange = {
  version: '20210804',
  kind: 'BREAKING',
  description:
    'A social post is published at publicationDate; dateStart is compulsory only for offers and events. Before, dateStart was ' +
    'the date of publication, and compulsory for every post.',
  touches: ['publicationDate and dateStart of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      replaced: {},
      upgrade: (old) =>
        Object.hasOwn(old, 'publicationDate') || !Object.hasOwn(old, 'dateStart')
          ? old
          : hasDatesOfItsOwn.has(old.type)
            ? { ...old, publicationDate: old.dateStart }
            : (names.upgrade?.(old) ?? old),
      downgrade: (today) => {
        const { publicationDate: published, ...rest } = today;
        return { ...rest, dateStart: today.dateStart ?? published };
      },
      describe: (today) => described(today, ['publicationDate'], { dateStart: { type: 'string' } }),
    },
  ],
  calls: [
    { call: 'POST /api/social-posts', replaced: {}, upgradeBody: withDate },
    { call: 'PATCH /api/social-posts/:id', replaced: {}, granted: 'DATE_START_PUBLISHES' },
    { call: 'PUT /api/social-posts/:id', replaced: {}, granted: 'DATE_START_PUBLISHES' },
  ],
};

function withDate(old: Shape): Shape {
  if ((old.dateStart ?? old.publicationDate ?? '') !== '') return old;
  const message = 'dateStart is required: it is the date of publication in versions before _20210804.';
  throw new Problem('MISSING_PARAMETER', { errors: [{ field: 'dateStart', rule: 'required', message }] });
}
