import { invalidField } from '../../../problems.ts';
import { described, type Shape, type VersionChange, without } from '../version-change.ts';
import { splitInList, splitInUsers } from './split-features.ts';

const inbox = {
  whole: 'INBOX',
  description: 'See, filter and reply to reviews',
  parts: ['INBOX_WRITE', 'INBOX_READ'],
};

export const inboxAndPlanStatus: VersionChange = {
  version: '20200128',
  kind: 'BREAKING',
  description:
    'The user feature INBOX was split into INBOX_WRITE (read, filter and reply to reviews) and INBOX_READ (no replies). The ' +
    'boolean active of a product plan was replaced by status.',
  touches: ['features of a user', 'status of a product plan'],
  shapes: [
    splitInUsers(inbox),
    {
      resource: 'ProductPlan',
      replaced: { active: 'status' },
      upgrade: toStatus,
      downgrade: ({ status, ...current }) => ({ ...current, active: status === 'ACTIVE' }),
      describe: (current) => ({
        ...described(current, ['status'], { active: { type: 'boolean' } }),
        ...(current.required && { required: current.required.map((name) => (name === 'status' ? 'active' : name)) }),
      }),
    },
  ],
  calls: [
    // New plans wait for approval, which old clients read as active: false.
    { call: 'POST /api/product-plans', upgradeBody: (old) => (old.active === false ? without(old, 'active') : old) },
    { call: 'PATCH /api/product-plans/:id', granted: 'PENDING_IS_INACTIVE' },
    { call: 'PUT /api/product-plans/:id', granted: 'PENDING_IS_INACTIVE' },
    splitInList(inbox),
  ],
};

function toStatus(old: Shape): Shape {
  const { active } = old;
  if (active === undefined) return old;
  if (typeof active !== 'boolean') throw invalidField('active', 'type', 'active must be true or false.');
  return { ...without(old, 'active'), status: active ? 'ACTIVE' : 'INACTIVE' };
}
