import { expect, test } from 'vitest';
import { fieldProblemText } from './field-problem-text.ts';

test.each([
  ['businessId', 'required', 'businessId is required.', 'This field is required.'],
  ['categories', 'required', 'categories is required: category ids, the main one first.', 'This field is required.'],
  ['lat', 'maximum', 'lat must be 90 or less, not 91.', 'Latitude must be 90 or less, not 91.'],
  ['password', 'minLength', 'password must have at least 10 characters.', 'Password must have at least 10 characters.'],
  ['pushUrl', 'format', 'pushUrl must be a URL.', 'This value must be a URL.'],
  ['categories[1]', 'known', 'There is no category 7.', 'Entry 2: There is no category 7.'],
  [
    'keywords[3]',
    'maxLength',
    'keywords[3] may have at most 80 characters.',
    'Entry 4: This value may have at most 80 characters.',
  ],
  [
    'services[0].name',
    'maxLength',
    'services[0].name may have at most 140 characters.',
    'Entry 1: Name may have at most 140 characters.',
  ],
  [
    'openingHours[0].from1',
    'pattern',
    'openingHours[0].from1 does not fit: HH:MM.',
    'Entry 1: Enter both times of each period.',
  ],
])('%s, %s', (field, rule, message, text) => {
  expect(fieldProblemText({ field, rule, message })).toBe(text);
});

test('uses the entry label of the page', () => {
  const problem = {
    field: 'openingHours[0].from2',
    rule: 'overlap',
    message: 'The two periods of openingHours[0] overlap.',
  };
  expect(fieldProblemText(problem, (index) => ['Monday', 'Tuesday'][index] ?? '')).toBe(
    'Monday: The two periods overlap. Change their times or merge them.',
  );
});
