import Type, { type Static } from 'typebox';

const LabelName = Type.String({
  pattern: '\\S',
  maxLength: 100,
  description: 'Unique, not blank',
});

export const NewLabel = Type.Object({
  name: LabelName,
  adminOnly: Type.Optional(
    Type.Boolean({
      description: 'Only administrators and account managers can see and assign it. Default: false.',
    }),
  ),
});

export const LabelChange = Type.Partial(NewLabel);

export const LabelResponse = Type.Object(
  { id: Type.Integer(), name: Type.String(), adminOnly: Type.Boolean() },
  { title: 'Label' },
);
export type Label = Static<typeof LabelResponse>;
