import { styleText } from 'node:util';
import { clock, deliveryLine } from './arrival-line.ts';
import { type ForwardAttempt, isSuccess } from './forward.ts';
import type { VerifiedDelivery } from './local-receiver.ts';

const maxLines = 8;
const maxLineLength = 160;
const maxComparedLines = 20;

interface Progress {
  /** Maximum number of attempts. */
  maxAttempts: number;
  /** Undefined after the last attempt. */
  retryInMs: number | undefined;
}

/** The last attempt for the terminal: a line, and details if it failed or differs from the previous attempt. */
export function attemptText(
  delivery: VerifiedDelivery,
  attempts: readonly ForwardAttempt[],
  progress: Progress,
): string {
  const [last, previous] = [attempts.at(-1), attempts.at(-2)];
  if (!last) return '';
  const lines = previous ? retryLines(delivery, previous, last, attempts.length) : firstLines(delivery, last);
  const next = previous || !isSuccess(last) ? [`    ${nextStep(last, attempts.length, progress)}`] : [];
  return [...lines, ...next].map((line) => `${line}\n`).join('');
}

function firstLines(delivery: VerifiedDelivery, attempt: ForwardAttempt): string[] {
  const line = `${deliveryLine(delivery)} → ${result(attempt)}`;
  return isSuccess(attempt) ? [line] : [line, ...responseLines(attempt)];
}

function retryLines(
  { event }: VerifiedDelivery,
  previous: ForwardAttempt,
  last: ForwardAttempt,
  number: number,
): string[] {
  const line = `${clock(new Date())} ↻ ${event.type} ${event.id} attempt ${number}: was ${previous.status}, now ${result(last)}`;
  const [before, after] = [shortText(previous), shortText(last)];
  if (before === undefined || after === undefined) return [line, ...(isSuccess(last) ? [] : responseLines(last))];
  const changes = lineDiff(before, after);
  return [line, ...(changes.length > 0 ? indented(changes) : ['    same response'])];
}

function result(attempt: ForwardAttempt): string {
  const { status, tookMs, failure } = attempt;
  const text = `${failure === undefined ? statusLine(attempt) : `${status} ${failure}`} in ${tookMs} ms`;
  return styleText(isSuccess(attempt) ? 'green' : 'yellow', text);
}

const statusLine = ({ status, statusText }: ForwardAttempt) => `${status} ${printable(statusText)}`.trim();

/** The status line, the content type and the first lines of the response. */
function responseLines(attempt: ForwardAttempt): string[] {
  if (attempt.failure !== undefined) return [];
  const head = `HTTP ${statusLine(attempt)}, ${printable(attempt.headers['content-type'] ?? 'no content type')}`;
  return indented([head, ...bodyLines(attempt)]);
}

function bodyLines(attempt: ForwardAttempt): string[] {
  const { body, isComplete } = attempt;
  if (body.length === 0) return ['(empty response)'];
  const text = textOf(attempt);
  if (text === undefined) return [`(${body.length}${isComplete ? '' : ' or more'} bytes, not text)`];
  const lines = text.split('\n');
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines).map(printable), ...(more > 0 ? [`… ${more} more lines`] : [])];
}

function nextStep(last: ForwardAttempt, number: number, { maxAttempts, retryInMs }: Progress): string {
  if (retryInMs !== undefined) return `Next: attempt ${number + 1} of ${maxAttempts} in ${retryInMs / 1000} s.`;
  if (isSuccess(last)) return `Waypost gets ${last.status}: delivered.`;
  if (last.status === 410) return 'Waypost gets 410 and disables the webhook.';
  return `Waypost gets ${last.status} and retries the delivery later, by the schedule of the webhook.`;
}

/** The lines of a response that is short enough to compare. */
function shortText(attempt: ForwardAttempt): string[] | undefined {
  const text = attempt.isComplete && attempt.failure === undefined ? textOf(attempt) : undefined;
  const lines = text === '' ? [] : text?.split('\n');
  return lines && lines.length <= maxComparedLines ? lines : undefined;
}

/** Undefined if the response is not text. */
function textOf({ body }: ForwardAttempt): string | undefined {
  const text = body.toString().trimEnd();
  // A multi-byte character can be cut at the end.
  return ['\0', '\uFFFD'].some((sign) => text.slice(0, -1).includes(sign)) ? undefined : text;
}

const indented = (lines: readonly string[]) => lines.map((line) => styleText('dim', `    ${line}`));

/** Control characters are removed, because the terminal would interpret them. */
function printable(line: string): string {
  const text = line.replaceAll('\t', '  ').replaceAll(/\p{Cc}/gu, '');
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
}

/** The removed and added lines, by their longest common subsequence. */
export function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const common = commonLengths(before, after);
  const changes: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) [i, j] = [i + 1, j + 1];
    else if (j === after.length || (i < before.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)))
      changes.push(`- ${printable(before[i++] ?? '')}`);
    else changes.push(`+ ${printable(after[j++] ?? '')}`);
  }
  return changes;
}

/** `[i][j]`: how many lines the ends from i and j have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const [row, below] = [lengths[i] ?? [], lengths[i + 1] ?? []];
    for (let j = after.length - 1; j >= 0; j -= 1) {
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
