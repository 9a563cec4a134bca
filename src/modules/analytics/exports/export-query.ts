import Type from 'typebox';
import { groups, spanQuery } from '../../../values/span.ts';
import { scopeQuery } from '../../locations/index.ts';
import { reportLanguages } from './texts/report-texts.ts';

const names = { maxItems: 100 };

/** Shared by queries and bodies. */
export const exportFields = {
  ...scopeQuery,
  group: Type.Optional(
    Type.Enum([...groups], {
      description: 'Length of a period. Defaults to DAY for insights, otherwise depends on the span',
    }),
  ),
  language: Type.Enum([...reportLanguages], {
    default: 'en',
    description: 'Language of titles, headers and metric names',
  }),
};

const metrics = Type.Optional(
  Type.Array(Type.String({ maxLength: 100 }), {
    ...names,
    description: 'Metrics such as CALL_CLICKS. Defaults to all metrics of the directories',
    examples: [['CALL_CLICKS', 'WEBSITE_CLICKS']],
  }),
);
const directories = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { ...names, description, examples: [['GOOGLE']] }));

/** `type` selects directories, as on the dashboard. */
export const exportQuery = Type.Object({
  ...exportFields,
  ...spanQuery,
  type: directories('Directories to include. Defaults to all directories with insights'),
  metrics,
});

export const exportName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name of the file. Defaults to the type and the dates',
  }),
);

export const excelExportBody = Type.Object({
  name: exportName,
  type: Type.Optional(
    Type.Enum(['DASHBOARD', 'INSIGHTS'], {
      default: 'DASHBOARD',
      description: 'The whole dashboard, or insights by location and period',
    }),
  ),
  ...exportFields,
  language: Type.Optional(exportFields.language),
  ...spanQuery,
  directoryTypes: directories('Directories to include. Defaults to all directories with insights'),
  metrics,
});
