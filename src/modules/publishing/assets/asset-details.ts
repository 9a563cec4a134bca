import { type FieldError, Problem } from '../../../problems.ts';
import { readDay } from '../../../values/span.ts';
import type { AssetDetails, AssetPatch } from './asset.ts';
import { titleError } from './file-title.ts';

type OwnDetails = Pick<AssetDetails, 'name' | 'description' | 'status' | 'folderId' | 'startDate' | 'endDate'>;

export const blankDetails: Omit<OwnDetails, 'name'> = {
  description: null,
  status: 'VISIBLE',
  folderId: null,
  startDate: null,
  endDate: null,
};

/** Applies a patch; null deletes a field. Targets are handled by readTargets. */
export function changedDetails(before: OwnDetails, patch: AssetPatch): OwnDetails {
  const { name, description, status, folderId, startDate, endDate } = patch;
  const next: OwnDetails = {
    name: name === undefined ? before.name : name.normalize('NFC').trim(),
    description: description === undefined ? before.description : description,
    status: status ?? before.status,
    folderId: folderId === undefined ? before.folderId : folderId,
    startDate: startDate === undefined ? before.startDate : dayOrNull('startDate', startDate),
    endDate: endDate === undefined ? before.endDate : dayOrNull('endDate', endDate),
  };
  const errors = [titleError('name', next.name), orderError(next)].filter((error) => error !== undefined);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return next;
}

const dayOrNull = (field: string, text: string | null) => (text === null ? null : readDay(field, text));

function orderError({ startDate, endDate }: OwnDetails): FieldError | undefined {
  if (startDate === null || endDate === null || startDate <= endDate) return undefined;
  return {
    field: 'endDate',
    rule: 'order',
    message: `endDate (${endDate}) must not be before startDate (${startDate}).`,
  };
}
