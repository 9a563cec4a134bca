import type { ApiProblem, FieldProblem } from '../../../api/api-problem.ts';
import { t } from '../../../texts/t.ts';

/** Why a file was rejected. Messages of the API about missing columns name requests instead of controls. */
export const uploadProblemText = (
  { fields, message }: Pick<ApiProblem, 'fields' | 'message'>,
  canChooseBusiness: boolean,
): string => fields.map((field) => columnProblemText(field, canChooseBusiness)).join(' ') || message;

function columnProblemText({ field, rule, message }: FieldProblem, canChooseBusiness: boolean): string {
  if (rule !== 'required') return message;
  if (field === 'businessId' && canChooseBusiness)
    return t('imports.businessMissing', { control: t('imports.business') });
  return t('imports.columnMissing', { column: field, control: t('imports.template') });
}
