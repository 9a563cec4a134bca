import { expect, test } from 'vitest';
import { uploadProblemText } from './upload-problem.ts';

test('names the controls for missing columns, and shows other messages of the API', () => {
  const fields = [
    { field: 'businessId', rule: 'required', message: 'Set the query parameter businessId.' },
    { field: 'street', rule: 'required', message: 'GET /api/location-imports/template.csv lists all columns.' },
    { field: 'city', rule: 'unique', message: 'The column city occurs more than once. Keep one of them.' },
  ];
  expect(uploadProblemText({ fields, message: 'Invalid' }, true)).toBe(
    'The column businessId is missing. Add it, or choose a business in “Business for rows without one”. ' +
      'The column street is missing. Add it. “Download template” has all columns. ' +
      'The column city occurs more than once. Keep one of them.',
  );
  expect(uploadProblemText({ fields: [], message: 'The file is empty.' }, true)).toBe('The file is empty.');
});

test('names only the column for users who cannot choose a business', () => {
  const fields = [{ field: 'businessId', rule: 'required', message: 'Set the query parameter businessId.' }];
  expect(uploadProblemText({ fields, message: 'Invalid' }, false)).toBe(
    'The column businessId is missing. Add it. “Download template” has all columns.',
  );
});
