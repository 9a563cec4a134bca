import Type from 'typebox';
import { expect, test } from 'vitest';
import { renamed, type VersionChange, withField } from './version-change.ts';
import { type OldUse, RouteWalk } from './walk.ts';

const Item = Type.Object({ id: Type.Integer() }, { 'x-resource': 'Item' });
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
        replaced: {},
        upgrade: (old) => withField(old, 'id', Number),
        downgrade: (today) => withField(today, 'id', String),
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
];

const walk = new RouteWalk(timeline, {
  method: 'GET',
  path: '/boxes',
  body: Type.Object({ box: Box }),
  response: Type.Object({ boxes: Type.Array(Box) }),
});

const upgraded = (version: string, request: { query?: object; body?: unknown }) => {
  const uses: OldUse[] = [];
  const { query = {}, body } = request;
  const today = walk.upgrade(version, { query: query as Record<string, unknown>, body }, (use) => uses.push(use));
  return { ...today, uses };
};

test('a request walks up through every version after its own', () => {
  const body = { box: { sticker: 'fragile', contents: [{ id: '1' }] } };
  expect(upgraded('20190101', { body }).body).toEqual({ box: { label: 'fragile', contents: [{ id: 1 }] } });
  expect(body).toEqual({ box: { sticker: 'fragile', contents: [{ id: '1' }] } });
});

test('an answer walks down to the version asked for, and no further', () => {
  const answer = { boxes: [{ label: 'fragile', contents: [{ id: 1 }] }] };
  expect(walk.downgrade('20190101', answer, {})).toEqual({ boxes: [{ sticker: 'fragile', contents: [{ id: '1' }] }] });
  expect(walk.downgrade('20200101', answer, {})).toEqual({ boxes: [{ tag: 'fragile', contents: [{ id: '1' }] }] });
  expect(walk.downgrade('20210101', answer, {})).toEqual({ boxes: [{ label: 'fragile', contents: [{ id: '1' }] }] });
  expect(walk.downgrade('20220101', answer, {})).toBe(answer);
  expect(answer).toEqual({ boxes: [{ label: 'fragile', contents: [{ id: 1 }] }] });
});

test('old fields are told of, also in a request of today, which keeps its own shape', () => {
  const body = { box: { tag: 'x', contents: [] } };
  expect(upgraded('20200101', { body }).uses).toEqual([{ name: 'tag', now: 'label', version: '20210101' }]);
  const today = upgraded('20220101', { body });
  expect(today.uses).toEqual([{ name: 'tag', now: 'label', version: '20210101' }]);
  expect(today.body).toEqual(body);
});

test('the same thing said in the old way and the new is refused', () => {
  const body = { box: { tag: 'x', label: 'y', contents: [] } };
  expect(() => upgraded('20200101', { body })).toThrow('Give either tag or label, not both.');
});

test('parameters are upgraded, and what only old clients may have is granted to them alone', () => {
  expect(upgraded('20200101', { query: { big: 'true' } })).toMatchObject({
    query: { minSize: 10 },
    uses: [{ name: 'big', now: 'minSize' }],
  });
  expect([...walk.grants('20211231')]).toEqual(['UNCAPPED_LOCATIONS']);
  expect([...walk.grants('20220101')]).toEqual([]);
});
