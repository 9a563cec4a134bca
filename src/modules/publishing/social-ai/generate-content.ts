import { type FieldError, Problem } from '../../../problems.ts';
import { type Directory, directoryList } from '../../directories/index.ts';
import { type Location, languageCode } from '../../locations/index.ts';
import { builtInLanguages, phrasesOf } from './built-in-phrases.ts';
import type { ContentRequest, GeneratedContent } from './content-request.ts';
import { finishText } from './finish-text.ts';
import { factsOf } from './location-facts.ts';
import type { Order, Writer, Written } from './writer.ts';

/** Texts that are written at the same time for one request. */
const atOnce = 4;

/** Every text that a request asks for: so many variants for each directory. */
export function ordersOf(request: ContentRequest, location: Location | undefined, now: Date): Order[] {
  const language = languageOf(request, location);
  const facts = location && factsOf(location, language, now);
  const { topic, tone = 'FRIENDLY', length = 'MEDIUM', keywords = [], hashtags = false, emoji = false } = request;
  const { variants = 1 } = request;
  const manner = { topic, tone, length, keywords, hashtags, emoji, language, facts };
  return directoriesOf(request.directories).flatMap((directory) =>
    Array.from({ length: variants }, (_, variant) => ({ ...manner, directory, variant })),
  );
}

function languageOf({ language }: ContentRequest, location: Location | undefined): string {
  if (language === undefined) return languageCode(location?.profile.languages?.[0] ?? 'en') ?? 'en';
  const code = languageCode(language);
  if (code !== undefined) return code;
  throw new Problem('INVALID_PARAMETER', {
    errors: [
      {
        field: 'language',
        rule: 'language',
        message: `language must be a code such as de or pt-BR, not "${language}".`,
      },
    ],
  });
}

function directoriesOf(asked: readonly string[] | undefined): readonly Directory[] {
  const able = directoryList.filter(({ supports }) => supports.socialPosts);
  if (asked === undefined || asked.length === 0) return able;
  const errors = asked.flatMap((type, index): FieldError[] => {
    if (able.some((directory) => directory.type === type)) return [];
    const message = `${type} takes no posts. Directories that do: ${able.map((one) => one.type).join(', ')}.`;
    return [{ field: `directories[${index}]`, rule: 'enum', message }];
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return able.filter(({ type }) => asked.includes(type));
}

/** All of them, in their order, or the problem that the first one met; then the others are not waited for. */
export async function writeAll(
  writer: Writer,
  orders: readonly Order[],
  signal: AbortSignal,
): Promise<{ contents: GeneratedContent[]; warnings: string[] }> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const contents: GeneratedContent[] = [];
  const warnings = new Set<string>();
  const waiting = [...orders.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, order] = next;
      const finished = await writeOne(writer, order, either);
      contents[index] = finished.content;
      for (const warning of finished.warnings) warnings.add(warning);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, orders.length) }, work));
  } finally {
    waiting.length = 0;
    failed.abort();
  }
  return { contents, warnings: [...warnings, ...languageWarnings(writer, orders[0])] };
}

async function writeOne(writer: Writer, order: Order, signal: AbortSignal) {
  const written = await writer.write(order, signal);
  if (written.kind !== 'written') throw problemOf(written);
  const finished = finishText(order, writer.source, written.text);
  if ('nonsense' in finished) throw problemOf({ kind: 'unavailable', detail: finished.nonsense });
  return finished;
}

function problemOf(written: Exclude<Written, { kind: 'written' }>): Problem {
  switch (written.kind) {
    case 'refused':
      return new Problem('CONTENT_REFUSED');
    case 'limited':
      return new Problem('QUOTA_LIMIT_EXCEED', {
        message: `The model server takes no more requests for now. Go on in ${written.retryAfterSeconds} s.`,
        retryAfterSeconds: written.retryAfterSeconds,
      });
    case 'misconfigured':
      return new Problem('MODEL_UNAVAILABLE', {
        message: `The model server ${written.detail}. Whoever runs this installation has to look at its settings.`,
      });
    case 'unavailable':
      return new Problem('MODEL_UNAVAILABLE', { message: `The model server ${written.detail}. Try again later.` });
  }
}

/** The built-in writer knows a few languages, and says so rather than to write in another one unasked. */
function languageWarnings({ source }: Writer, order: Order | undefined): string[] {
  if (source !== 'BUILT_IN' || !order || phrasesOf(order.language)) return [];
  return [
    `The built-in writer does not know ${order.language}: the text is in English. It knows ${builtInLanguages.join(', ')}.`,
  ];
}
