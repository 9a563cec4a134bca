import { trimEndOf } from '../../../text.ts';
import type { GeneratedContent } from './content-request.ts';
import { removeForeignContacts } from './foreign-contacts.ts';
import { hashtagsFor, withoutHashtags } from './hashtags.ts';
import { frameEnd, frameStart } from './post-prompt.ts';
import { cutAtSentence } from './sentences.ts';
import type { TextSpec } from './writer.ts';

export type Finished = { content: GeneratedContent; warnings: string[] } | { rejected: string };

const minLetters = 3;
/** Longer output of a model is ignored. */
const maxReadLength = 5000;
const thoughts = /^\s*<think>[\s\S]*?<\/think>/i;
const fence = /^```\w*\n([\s\S]*?)\n?```$/;
const quotes = /^["“„«]([^"“”„«»]*)["”“»]$/u;

/** Cleans the output of a writer: removes foreign contacts, formats hashtags, applies the directory's limit. */
export function finishText(spec: TextSpec, source: string, written: string): Finished {
  const { directory, language, facts } = spec;
  const raw = written
    .replace(thoughts, '')
    .slice(0, 2 * maxReadLength)
    .toWellFormed();
  const plain = tidy(cutAtSentence(raw, maxReadLength, language));
  if (plain.includes(frameStart) || plain.includes(frameEnd)) return { rejected: 'repeated its prompt' };
  const { body, hashtags: found } = withoutHashtags(plain);
  const { text, removed } = removeForeignContacts(body, facts, language);
  if ((text.match(/\p{L}/gu)?.length ?? 0) < minLetters) {
    return { rejected: removed > 0 ? 'wrote only about contacts that are not those of the location' : 'wrote no text' };
  }
  const limit = directory.postMaxLength;
  const hashtags = fitting(hashtagsFor(spec, found), limit);
  const line = hashtags.length > 0 ? `\n\n${hashtags.join(' ')}` : '';
  const whole = cutAtSentence(text, limit - line.length, language) + line;
  const warnings =
    removed > 0
      ? [
          `${directory.type}: ${removed} sentence(s) were left out because they contain contacts that do not belong to the location.`,
        ]
      : [];
  return {
    content: { text: whole, hashtags, characterCount: whole.length, directory: directory.type, source },
    warnings,
  };
}

/** Removes code fences, quotation marks and invisible characters around the text. */
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

/** Hashtags may use up to a third of the limit. */
function fitting(hashtags: readonly string[], limit: number): string[] {
  const kept = [...hashtags];
  while (kept.length > 0 && kept.join(' ').length + 2 > limit / 3) kept.pop();
  return kept;
}
