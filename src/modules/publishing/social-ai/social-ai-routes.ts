import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { reaches, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { invalidField, Problem, unknownReference } from '../../../problems.ts';
import { consumeHourlyQuota } from '../../accounts/index.ts';
import type { Directory } from '../../directories/index.ts';
import { findLocation, type Location, languageCode } from '../../locations/index.ts';
import { postDirectories, unsupportedDirectory } from '../social-posts/post-rules.ts';
import { builtInLanguages, builtInWriter, phrasesOf } from './built-in-writer.ts';
import {
  ContentRequest,
  factsOf,
  GeneratedContent,
  type TextSpec,
  type WriteResult,
  type Writer,
} from './content-request.ts';
import { finishText } from './finish-text.ts';
import { ModelWriter, modelSettings } from './model-writer.ts';

/** Texts written concurrently per request. */
const concurrency = 4;

/** One spec per directory and variant. */
function textSpecsOf(request: ContentRequest, location: Location | undefined, now: Date): TextSpec[] {
  const language = languageOf(request, location);
  const facts = location && factsOf(location, language, now);
  const { topic, tone = 'FRIENDLY', length = 'MEDIUM', keywords = [], hashtags = false, emoji = false } = request;
  const { variants = 1 } = request;
  const common = { topic, tone, length, keywords, hashtags, emoji, language, facts };
  return directoriesOf(request.directories).flatMap((directory) =>
    Array.from({ length: variants }, (_, variant) => ({ ...common, directory, variant })),
  );
}

function languageOf({ language }: ContentRequest, location: Location | undefined): string {
  if (language === undefined) return languageCode(location?.profile.languages?.[0] ?? 'en') ?? 'en';
  const code = languageCode(language);
  if (code !== undefined) return code;
  const message = `language must be a language code such as de or pt-BR. The value is "${language}".`;
  throw invalidField('language', 'language', message);
}

function directoriesOf(requested: readonly string[] | undefined): readonly Directory[] {
  if (requested === undefined || requested.length === 0) return postDirectories;
  const errors = requested.flatMap((type, index) =>
    postDirectories.some((directory) => directory.type === type) ? [] : unsupportedDirectory(type, index),
  );
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return postDirectories.filter(({ type }) => requested.includes(type));
}

/** Returns the texts in order. Throws the first problem and aborts the others. */
async function writeAll(
  writer: Writer,
  specs: readonly TextSpec[],
  signal: AbortSignal,
): Promise<{ contents: GeneratedContent[]; warnings: string[] }> {
  const failed = new AbortController();
  const anySignal = AbortSignal.any([signal, failed.signal]);
  const contents: GeneratedContent[] = [];
  const warnings = new Set<string>();
  const queue = [...specs.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, spec] = next;
      const finished = await writeOne(writer, spec, anySignal);
      contents[index] = finished.content;
      for (const warning of finished.warnings) warnings.add(warning);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, specs.length) }, worker));
  } finally {
    queue.length = 0;
    failed.abort();
  }
  return { contents, warnings: [...warnings, ...languageWarnings(writer, specs[0])] };
}

async function writeOne(writer: Writer, spec: TextSpec, signal: AbortSignal) {
  const result = await writer.write(spec, signal);
  if (result.kind !== 'written') throw problemOf(result);
  const finished = finishText(spec, writer.source, result.text);
  if ('rejected' in finished) throw problemOf({ kind: 'unavailable', detail: finished.rejected });
  return finished;
}

function problemOf(result: Exclude<WriteResult, { kind: 'written' }>): Problem {
  switch (result.kind) {
    case 'refused':
      return new Problem('CONTENT_REFUSED');
    case 'limited':
      return new Problem('QUOTA_LIMIT_EXCEED', {
        message: `The model server is rate limited. Try again in ${result.retryAfterSeconds} s.`,
        retryAfterSeconds: result.retryAfterSeconds,
      });
    case 'misconfigured':
      return new Problem('MODEL_UNAVAILABLE', {
        message: `The model server ${result.detail}. The operator must correct the settings.`,
      });
    case 'unavailable':
      return new Problem('MODEL_UNAVAILABLE', { message: `The model server ${result.detail}. Try again later.` });
  }
}

function languageWarnings({ source }: Writer, spec: TextSpec | undefined): string[] {
  if (source !== builtInWriter.source || !spec || phrasesOf(spec.language)) return [];
  return [
    `The built-in writer does not support ${spec.language}. The text is in English. Supported languages: ${builtInLanguages.join(', ')}.`,
  ];
}

export function socialAiRoutes(server: FastifyInstance, { config, database }: Services): void {
  const model = modelSettings(config);
  const writer = model ? new ModelWriter(model) : builtInWriter;
  if (writer instanceof ModelWriter) server.addHook('onReady', () => writer.open());

  const requireLocation = async (caller: Caller, id: number): Promise<Location> => {
    const location = await findLocation(database.pool, caller.partnerId, id);
    const isVisible = location && reaches(reachOf(caller), { businessId: location.businessId, locationId: id });
    if (!isVisible || location.status === 'DELETED') throw unknownReference('locationId', `location ${id}`);
    return location;
  };

  route(server, {
    method: 'POST',
    path: '/api/social-ai/generate-content',
    summary: 'Generate texts for social posts with the configured model or the built-in writer',
    needs: 'SOCIAL_POST_WRITE',
    body: ContentRequest,
    response: Type.Object({ contents: Type.Array(GeneratedContent) }),
    problems: ['NOT_FOUND', 'CONTENT_REFUSED', 'MODEL_UNAVAILABLE'],
    handler: async (request) => {
      const { caller, body } = request;
      const location = body.locationId === undefined ? undefined : await requireLocation(caller, body.locationId);
      const specs = textSpecsOf(body, location, new Date());
      const quota = { resource: 'texts', consumer: `partner ${caller.partnerId}`, limit: config.aiTextsPerHour };
      await consumeHourlyQuota(database.pool, quota, specs.length);
      const lifetime = requestLifetime(request, config.aiTimeoutMs);
      try {
        const { contents, warnings } = await writeAll(writer, specs, lifetime.signal);
        request.log.info({ event: 'social-ai.written', source: writer.source, texts: contents.length });
        request.warnings.push(...warnings);
        // The texts are complete before the transaction begins: it only stores the response for the Idempotency-Key.
        return await idempotentTransaction(request, async () => ({ contents }));
      } finally {
        lifetime.end();
      }
    },
  });
}

/** Aborts on timeout or when the client disconnects. */
function requestLifetime({ raw }: FastifyRequest, timeoutMs: number): { signal: AbortSignal; end(): void } {
  const disconnected = new AbortController();
  const disconnect = () => disconnected.abort();
  raw.socket.once('close', disconnect);
  return {
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), disconnected.signal]),
    end: () => raw.socket.off('close', disconnect),
  };
}
