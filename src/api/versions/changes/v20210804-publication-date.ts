import type { Schema } from '../../../json-schema.ts';
import { Problem } from '../../../problems.ts';
import { described, renameField, type Shape, type VersionChange } from '../version-change.ts';

const typesWithStart = new Set<unknown>(['OFFER', 'EVENT']);

export const publicationDate: VersionChange = {
  version: '20210804',
  kind: 'BREAKING',
  description:
    'Social posts have a publicationDate; dateStart is required only for offers and events. Before, dateStart was the publication ' +
    'date and was required for every post.',
  touches: ['publicationDate and dateStart of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      reshaped: {
        dateStart: {
          before: 'as the date of publication',
          now: 'publicationDate',
          isOld: (_, post) => !Object.hasOwn(post, 'publicationDate'),
        },
      },
      upgrade: splitDateStart,
      downgrade: ({ publicationDate: published, ...current }) => ({
        ...current,
        dateStart: current.dateStart ?? published,
      }),
      describe: withoutPublicationDate,
    },
  ],
  calls: [
    { call: 'POST /api/social-posts', upgradeBody: requireDateStart },
    { call: 'PATCH /api/social-posts/:id', granted: 'DATE_START_PUBLISHES' },
    { call: 'PUT /api/social-posts/:id', granted: 'DATE_START_PUBLISHES' },
  ],
};

function splitDateStart(old: Shape): Shape {
  if (Object.hasOwn(old, 'publicationDate') || !Object.hasOwn(old, 'dateStart')) return old;
  return typesWithStart.has(old.type)
    ? { ...old, publicationDate: old.dateStart }
    : renameField(old, 'dateStart', 'publicationDate');
}

function requireDateStart(old: Shape): Shape {
  if ((old.dateStart ?? old.publicationDate ?? '') !== '') return old;
  const message = 'dateStart is required: it is the date of publication in versions before _20210804.';
  throw new Problem('MISSING_PARAMETER', { errors: [{ field: 'dateStart', rule: 'required', message }] });
}

/** Adds dateStart to the required fields of POST. Updates have no required fields. */
function withoutPublicationDate(current: Schema): Schema {
  const { required = [], ...schema } = described(current, ['publicationDate'], { dateStart: { type: 'string' } });
  return required.length > 0 ? { ...schema, required: [...new Set([...required, 'dateStart'])] } : schema;
}
