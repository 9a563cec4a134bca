import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

const generated = 'console/src/api/api-types.ts';
/** Review texts in the words of customers, and the phrases themselves. */
const exceptions = ['sandbox/activity/texts', 'test/language.test.ts'];

/** "Answer" in names of columns, in posts with a question, in instructions to models and in stop words. */
const answerFiles = [
  'console/src/pages/posts/',
  'sandbox/state/',
  'src/database/schema.ts',
  'src/http/idempotency',
  'src/modules/analytics/dashboard/feedback/extract-keywords.ts',
  'src/modules/publishing/social-',
  'src/service/master-keys/sealed-columns',
];

const checked = [
  '*.md',
  '{decisions,docs,deploy}/*.md',
  'deploy/{cells,patroni}/*',
  '{console,receiver,receivers,sandbox}/*.md',
  'receivers/*/*.md',
  'receivers/**/*.{ts,py,go,php,rb,java,cs}',
  '{src,console/src}/**/*.{ts,tsx}',
  '{test,bench,sandbox,setup,.ci}/**/*.{ts,mjs}',
];

/** A phrase, the words to use instead, and the paths in which it is accepted. */
const phrases: [phrase: RegExp, better: string, accepted?: string[]][] = [
  [/whoever/i, 'the user, the client, the worker'],
  [/\b(some|any|every)body\b|nobody(?![@.'])/i, 'the user, all users, no user'],
  [/\b(he(?! hi\b)|his) [a-z]|\bhim(self)?\b/i, 'they, their, them'],
  [/\bwhat is said\b/i, 'the message, the text'],
  [/\bwhat came\b/i, 'the result, the response'],
  [/\bc[ao]mes? to an end\b/i, 'ends, stops, crashes'],
  [/\bg(ave|iv(e|es|en|ing)) up\b/i, 'failed, discarded, released'],
  [/\b(left|leaves?|let) alone\b/i, 'disabled, paused, not changed'],
  [/\bma(de|kes?|king) up for\b/i, 'repeated, retried'],
  [/\bin hand\b/i, 'claimed, in flight'],
  [/\bputs? ?down/i, 'release'],
  [/\b(ma(de|kes?|king)|has|have|is) room\b/i, 'capacity is available'],
  [/\bonce more\b/i, 'again'],
  [/\bin vain\b/i, 'without result, timed out'],
  [/\bnothing here\b/i, 'not found'],
  [/\b(politeness|manners)\b/i, 'client policy, rate limit policy'],
  [/\bpass(es|ed)? on\b/i, 'enqueue follow-ups'],
  [/\blog(s|ged|ging)?[ -]in\b/i, 'sign in'],
  [/\bof old\b(?!\))/i, 'deprecated, earlier'],
  // Published names are accepted: QUESTION_AND_ANSWER, REVIEWS_ANSWERED, ANSWER_MORE_REVIEWS.
  [/(?<!_and_|(reviews|messages)_?)answer(?!_(more|reviews)_)/i, 'response (HTTP), reply (to a review)', answerFiles],
];

function findings(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    phrases.flatMap(([phrase, better, accepted = []]) => {
      if (accepted.some((path) => file.startsWith(path))) return [];
      const [found] = phrase.exec(line) ?? [];
      return found === undefined ? [] : [`${file}:${index + 1}: "${found}": use ${better}`];
    }),
  );
}

test('documents, code and texts use standard terms', () => {
  const isChecked = (path: string) =>
    ![...exceptions, generated].some((entry) => path === entry || path.startsWith(`${entry}/`));
  const files = globSync(checked, { cwd: root, exclude: ['**/node_modules/**'] }).filter(isChecked);
  expect(files).toContain('README.md');
  expect(files).toContain('.ci/first-contact.ts');
  expect(files.flatMap((file) => findings(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test('every exception exists', () => {
  const paths = [...exceptions, ...answerFiles];
  expect(paths.filter((path) => globSync(`${path}*`, { cwd: root }).length === 0)).toEqual([]);
});

test.each([
  ['Whoever asks', 'whoever'],
  ['a user changes his own', 'his o'],
  ['nobodyWaits', 'nobody'],
  ['the task was given up', 'given up'],
  ['const firstAnswers = []', 'answer'],
])('flags "%s" with file and line', (line, found) => {
  const [finding = ''] = findings('file.ts', `first line\n${line}`);
  expect(finding.toLowerCase()).toContain(`file.ts:2: "${found}"`);
});

test.each([
  'the release notes',
  'ga he hi hr',
  'nobody@example.com',
  'QUESTION_AND_ANSWER, MESSAGES_ANSWERED, reviewsAnswered, ANSWER_REVIEWS_FASTER',
])('accepts "%s"', (line) => {
  expect(findings('file.ts', line)).toEqual([]);
});

test('accepts "answer" as the name of a column', () => {
  expect(findings('src/http/idempotency.ts', 'select answer')).toEqual([]);
  expect(findings('src/http/idempotency.ts', 'whoever')).toHaveLength(1);
});
