import { described, entries, isShape, type Shape, type VersionChange } from '../version-change.ts';

export const callToActions: VersionChange = {
  version: '20230115',
  kind: 'BREAKING',
  description:
    'callToAction and url of social posts were removed. Use the list callToActions: [{directory, type, url}]. Versions from ' +
    '_20210824 accept and return both forms; callToAction and url are those of the first entry.',
  touches: ['callToAction, url and callToActions of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      replaced: { callToAction: 'callToActions', url: 'callToActions' },
      agrees,
      upgrade: toList,
      downgrade: withSingle,
      describe: (current) => described(current, [], { callToAction: { type: 'string' }, url: { type: 'string' } }),
    },
  ],
};

/** A client that sends back a response sends both. */
function agrees({ callToAction, url, callToActions }: Shape): boolean {
  const first = entries(callToActions).find(isShape);
  if (!Array.isArray(callToActions)) return false;
  return (callToAction ?? undefined) === first?.type && (url ?? undefined) === (first?.url ?? undefined);
}

function toList(old: Shape): Shape {
  const { callToAction, url, ...rest } = old;
  if (Object.hasOwn(rest, 'callToActions')) return rest;
  if (callToAction === undefined && url === undefined) return old;
  if (callToAction === null || callToAction === '') return { ...rest, callToActions: [] };
  const leads = url !== undefined && url !== null && url !== '';
  // Without a directory, it applies to all directories.
  return {
    ...rest,
    callToActions: [{ ...(callToAction !== undefined && { type: callToAction }), ...(leads && { url }) }],
  };
}

function withSingle(current: Shape): Shape {
  const first = entries(current.callToActions).find(isShape);
  if (!first) return current;
  return { ...current, callToAction: first.type, ...(first.url !== undefined && { url: first.url }) };
}
