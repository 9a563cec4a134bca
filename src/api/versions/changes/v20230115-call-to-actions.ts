import { described, entries, isShape, type Shape, without } from '../shape.ts';
import type { VersionChange } from '../version-change.ts';

export const callToActions: VersionChange = {
  version: '20230115',
  kind: 'BREAKING',
  description:
    'A social post has a list callToActions: [{directory, type, url}] in place of the single callToAction and url.',
  touches: ['callToAction, url and callToActions of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      replaced: { callToAction: 'callToActions', url: 'callToActions' },
      upgrade: toList,
      downgrade: toSingle,
      describe: (today) =>
        described(today, ['callToActions'], { callToAction: { type: 'string' }, url: { type: 'string' } }),
    },
  ],
};

function toList(old: Shape): Shape {
  const { callToAction, url, ...rest } = old;
  if (callToAction === undefined && url === undefined) return old;
  if (callToAction === null || callToAction === '') return { ...rest, callToActions: [] };
  const leads = url !== undefined && url !== null && url !== '';
  // Without a directory it stands for all that had the same.
  return {
    ...rest,
    callToActions: [{ ...(callToAction !== undefined && { type: callToAction }), ...(leads && { url }) }],
  };
}

function toSingle(today: Shape): Shape {
  const first = entries(today.callToActions).find(isShape);
  const rest = without(today, 'callToActions');
  return first ? { ...rest, callToAction: first.type, ...(first.url !== undefined && { url: first.url }) } : rest;
}
