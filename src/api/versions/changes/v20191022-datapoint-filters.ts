import type { Schema } from '../../../json-schema.ts';
import { described, type Shape, type VersionChange, without } from '../version-change.ts';

const names = { onlyUnread: 'isRead', onlyUnreplied: 'hasReply' };

export const datapointFilters: VersionChange = {
  version: '20191022',
  kind: 'BREAKING',
  description:
    'Datapoints are filtered by isRead, hasReply and hasText, each true, false or absent. Before, the filters onlyUnread ' +
    'and onlyUnreplied could only find unread and unreplied datapoints.',
  touches: ['GET /api/data-points', '/api/data-points/filters'],
  shapes: [
    {
      resource: 'DataPointFilter',
      replaced: names,
      upgrade: fromOnly,
      downgrade: toOnly,
      describe: withOnly,
    },
  ],
  calls: [
    { call: 'GET /api/data-points', replaced: names, upgradeQuery: asked, describeQuery: withOnly },
    { call: 'PATCH /api/data-points/filters/:id', granted: 'ONLY_UNREAD_OR_ALL' },
    { call: 'PUT /api/data-points/filters/:id', granted: 'ONLY_UNREAD_OR_ALL' },
  ],
};

function fromOnly(old: Shape): Shape {
  const { onlyUnread, onlyUnreplied, ...rest } = old;
  return {
    ...rest,
    ...(onlyUnread !== undefined && { isRead: read(onlyUnread) }),
    ...(onlyUnreplied !== undefined && { hasReply: read(onlyUnreplied) }),
  };
}

/** Other values are left to the validator. */
const read = (only: unknown) => (only === true ? false : only === false || only === null ? null : only);

/** Query values are strings, and an absent filter matches both. */
function asked({ onlyUnread, onlyUnreplied, ...rest }: Shape): Shape {
  return { ...rest, ...inQuery('isRead', onlyUnread), ...inQuery('hasReply', onlyUnreplied) };
}

function inQuery(name: string, only: unknown): Shape {
  const text = String(only ?? 'false').toLowerCase();
  return text === 'false' || text === '' ? {} : { [name]: text === 'true' ? 'false' : only };
}

function toOnly(current: Shape): Shape {
  return {
    ...without(current, 'isRead', 'hasReply', 'hasText'),
    onlyUnread: current.isRead === false,
    onlyUnreplied: current.hasReply === false,
  };
}

function withOnly(current: Schema): Schema {
  const flag = { type: 'boolean' };
  return described(current, ['isRead', 'hasReply', 'hasText'], { onlyUnread: flag, onlyUnreplied: flag });
}
