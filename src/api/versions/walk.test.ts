import Type from 'typebox';
import { expect, test } from 'vitest';
import { added, renamed } from './changes/change-builders.ts';
import { type VersionChange, withField } from './version-change.ts';
import { RouteWalk, type VersionNotice } from './walk.ts';

const Item = Type.Object({ id: Type.Integer(), weight: Type.Optional(Type.Integer()) }, { 'x-resource': 'Item' });
const Box = Type.Object({ contents: Type.Array(Item), label: Type.Optional(Type.String()) }, { 'x-resource': 'Box' });

const change = (version: string, parts: Partial<VersionChange>): VersionChange => ({
  version,
  kind: 'BREAKING',
  description: 'A change for this test alone.',
  touches: ['everything'],
  ...parts,
});

const timeline = [
  change('20200101', { shapes: [renamed('Box', 'sticker', 'tag')] }),
  change('20210101', { shapes: [renamed('Box', 'tag', 'label')] }),
  change('20220101', {
    shapes: [
      {
        resource: 'Item',
        reshaped: { id: { before: 'as a text', now: 'a number', isOld: (id) => typeof id === 'string' } },
        upgrade: (old) => withField(old, 'id', Number),
        downgrade: (current) => withField(current, 'id', String),
      },
    ],
    calls: [
      {
        call: 'GET /boxes',
        replaced: { big: 'minSize' },
        upgradeQuery: ({ big, ...rest }) => (big === undefined ? rest : { ...rest, minSize: 10 }),
        granted: 'UNCAPPED_LOCATIONS',
      },
    ],
  }),
  change('20230101', {
    onlyWith: 'SCALES',
    shapes: [{ ...added('Item', 'weight'), ignoredForOldClients: ['weight'] }],
  }),
];

const walk = new RouteWalk(timeline, {
  method: 'GET',
  path: '/boxes',
  body: Type.Object({ box: Box }),
  response: Type.Object({ boxes: Type.Array(Box) }),
});

const clientOf = (version: string, ...planFeatures: string[]) => ({ version, planFeatures });

const upgraded = (version: string, request: { query?: object; body?: unknown }, ...planFeatures: string[]) => {
  const uses: VersionNotice[] = [];
  const { query = {}, body } = request;
  const client = clientOf(version, ...planFeatures);
  const current = walk.upgrade(client, { query: query as Record<string, unknown>, body }, (use) => uses.push(use));
  return { ...current, uses };
};

test('upgrades a request through every later version', () => {
  const body = { box: { sticker: 'fragile', contents: [{ id: '1' }] } };
  expect(upgraded('20190101', { body }).body).toEqual({ box: { label: 'fragile', contents: [{ id: 1 }] } });
  expect(body).toEqual({ box: { sticker: 'fragile', contents: [{ id: '1' }] } });
});

test('downgrades a response to the requested version', () => {
  const response = { boxes: [{ label: 'fragile', contents: [{ id: 1 }] }] };
  expect(walk.downgrade(clientOf('20190101'), response)).toEqual({
    boxes: [{ sticker: 'fragile', contents: [{ id: '1' }] }],
  });
  expect(walk.downgrade(clientOf('20200101'), response)).toEqual({
    boxes: [{ tag: 'fragile', contents: [{ id: '1' }] }],
  });
  expect(walk.downgrade(clientOf('20210101'), response)).toEqual({
    boxes: [{ label: 'fragile', contents: [{ id: '1' }] }],
  });
  expect(walk.downgrade(clientOf('20230101', 'SCALES'), response)).toBe(response);
  expect(response).toEqual({ boxes: [{ label: 'fragile', contents: [{ id: 1 }] }] });
});

test('reports old fields, and drops them from a request of the newest version', () => {
  const body = { box: { tag: 'x', contents: [] } };
  const use = { name: 'tag', now: 'label', version: '20210101' };
  expect(upgraded('20200101', { body }).uses).toEqual([{ kind: 'OLD', ...use }]);
  const current = upgraded('20220101', { body, query: { small: 'true' } });
  expect(current.uses).toEqual([{ kind: 'IGNORED', ...use }]);
  expect(() => upgraded('20220101', { body, query: { big: 'true' } })).toThrow('Use minSize.');
  expect(current).toMatchObject({ body: { box: { contents: [] } }, query: { small: 'true' } });
});

test('reports an old format to old clients', () => {
  const body = { box: { contents: [{ id: '1' }] } };
  expect(upgraded('20211231', { body }).uses).toEqual([
    { kind: 'OLD_FORM', name: 'id as a text', now: 'a number', version: '20220101' },
  ]);
  expect(upgraded('20220101', { body }).uses).toEqual([]);
});

test('an entry with a plan feature does not apply to other partners', () => {
  const response = { boxes: [{ contents: [{ id: 1, weight: 2 }] }] };
  const without = { boxes: [{ contents: [{ id: 1 }] }] };
  expect(walk.downgrade(clientOf('20230101', 'SCALES'), response)).toBe(response);
  expect(walk.downgrade(clientOf('20230101', 'WHEELS'), response)).toEqual(without);
  expect(walk.downgrade(clientOf('20221231', 'SCALES'), response)).toEqual(without);

  const body = { box: { contents: [{ id: 1, weight: 2 }] } };
  expect(upgraded('20230101', { body }, 'SCALES')).toMatchObject({ body, uses: [] });
  expect(upgraded('20230101', { body })).toMatchObject({
    body: { box: { contents: [{ id: 1 }] } },
    uses: [{ kind: 'NOT_YET', name: 'weight of Item', now: 'a product plan with SCALES', version: '20230101' }],
  });
});

test('rejects a request with both the old and the new field', () => {
  const body = { box: { tag: 'x', label: 'y', contents: [] } };
  expect(() => upgraded('20200101', { body })).toThrow('Send either tag or label, not both.');
});

test('upgrades parameters, and grants apply to old clients only', () => {
  expect(upgraded('20200101', { query: { big: 'true' } })).toMatchObject({
    query: { minSize: 10 },
    uses: [{ name: 'big', now: 'minSize' }],
  });
  expect([...walk.grants(clientOf('20211231'))]).toEqual(['UNCAPPED_LOCATIONS']);
  expect([...walk.grants(clientOf('20220101'))]).toEqual([]);
});
