import type { ApiProblem, FieldProblem } from '../../../api/api-problem.ts';
import { t } from '../../../texts/t.ts';

/** Why a file was rejected. Messages of the API about missing columns name requests instead of controls. */
export const uploadProblemText = ({ fields, message }: Pick<ApiProblem, 'fields' | 'message'>): string =>
  fields.map(columnProblemText).join(' ') || message;

function columnProblemText({ field, rule, message }: FieldProblem): string {
  if (rule !== 'required') return message;
  if (field === 'businessId') return t('imports.businessMissing', { control: t('imports.business') });
  return t('imports.columnMissing', { column: field, control: t('imports.template') });
}
