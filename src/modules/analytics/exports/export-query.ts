import Type from 'typebox';
import { groups, spanQuery } from '../../../values/span.ts';
import { scopeQuery } from '../../locations/index.ts';
import { reportLanguages } from './texts/report-texts.ts';

const names = { maxItems: 100 };

/** How exports are asked for, in queries and bodies alike. */
export const exportFields = {
  ...scopeQuery,
  group: Type.Optional(
    Type.Enum([...groups], {
      description: 'How long one period is; insights are by day if absent, others by the length of the span',
    }),
  ),
  language: Type.Enum([...reportLanguages], { default: 'en', description: 'Of titles, heads and names of metrics' }),
};

const metrics = Type.Optional(
  Type.Array(Type.String({ maxLength: 100 }), {
    ...names,
    description: 'Names of metrics such as CALL_CLICKS; all of the directories if absent',
    examples: [['CALL_CLICKS', 'WEBSITE_CLICKS']],
  }),
);
const directories = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { ...names, description, examples: [['GOOGLE']] }));

/** What a query can choose; `type` stands for directories there, as on the dashboard. */
export const exportQuery = Type.Object({
  ...exportFields,
  ...spanQuery,
  type: directories('Directories whose insights are in it; all that have any if absent'),
  metrics,
});

export const exportName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'What the file is called; made of its kind and days if absent',
  }),
);

export const excelExportBody = Type.Object({
  name: exportName,
  type: Type.Optional(
    Type.Enum(['DASHBOARD', 'INSIGHTS'], {
      default: 'DASHBOARD',
      description: 'The dashboard as a whole, or insights by location and period',
    }),
  ),
  ...exportFields,
  language: Type.Optional(exportFields.language),
  ...spanQuery,
  directoryTypes: directories('Directories whose insights are in it; all that have any if absent'),
  metrics,
});
