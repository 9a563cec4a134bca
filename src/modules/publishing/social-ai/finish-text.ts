import { trimEndOf } from '../../../text.ts';
import type { GeneratedContent } from './content-request.ts';
import { withoutForeignContacts } from './foreign-contacts.ts';
import { hashtagsFor, withoutHashtags } from './hashtags.ts';
import { frameEnd, frameStart } from './post-prompt.ts';
import { cutAtSentence } from './sentences.ts';
import type { Order } from './writer.ts';

/** A text that can be published, or why there is none. */
export type Finished = { content: GeneratedContent; warnings: string[] } | { nonsense: string };

const fewestLetters = 3;
/** More than any post needs; what a model writes beyond it is not looked at. */
const longestRead = 5000;
const thoughts = /^\s*<think>[\s\S]*?<\/think>/i;
const fence = /^```\w*\n([\s\S]*?)\n?```$/;
const quotes = /^["“„«]([^"“”„«»]*)["”“»]$/u;

/** Makes of what a writer wrote a post that keeps to the order and to the location, within the directory's limit. */
export function finishText(order: Order, source: string, written: string): Finished {
  const { directory, language, facts } = order;
  const spoken = written
    .replace(thoughts, '')
    .slice(0, 2 * longestRead)
    .toWellFormed();
  const plain = tidy(cutAtSentence(spoken, longestRead, language));
  if (plain.includes(frameStart) || plain.includes(frameEnd)) return { nonsense: 'repeated what it was asked' };
  const { body, hashtags: found } = withoutHashtags(plain);
  const { text, removed } = withoutForeignContacts(body, facts, language);
  if ((text.match(/\p{L}/gu)?.length ?? 0) < fewestLetters) {
    return { nonsense: removed > 0 ? 'wrote of contacts that are not those of the location' : 'wrote no text' };
  }
  const most = directory.postMaxLength;
  const hashtags = fitting(hashtagsFor(order, found), most);
  const line = hashtags.length > 0 ? `\n\n${hashtags.join(' ')}` : '';
  const whole = cutAtSentence(text, most - line.length, language) + line;
  const warnings =
    removed > 0
      ? [`For ${directory.type}, ${removed} sentence(s) with a contact that is not the location's own were left out.`]
      : [];
  return {
    content: { text: whole, hashtags, characterCount: whole.length, directory: directory.type, source },
    warnings,
  };
}

/** Without what models put around a text: thoughts, fences, quotation marks, characters that nobody sees. */
function tidy(written: string): string {
  const text = written
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, '')
    .split('\n')
    .map((line) => trimEndOf(line, /[ \t]/))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const unfenced = fence.exec(text)?.[1]?.trim() ?? text;
  return quotes.exec(unfenced)?.[1]?.trim() ?? unfenced;
}

/** Hashtags may take a third of the room. */
function fitting(hashtags: readonly string[], most: number): string[] {
  const kept = [...hashtags];
  while (kept.length > 0 && kept.join(' ').length + 2 > most / 3) kept.pop();
  return kept;
}
