import type { LanguageModel } from 'ai';
import type { Config } from '../../../config.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { modelFault } from './model-fault.ts';
import { promptFor, refusalWord } from './post-prompt.ts';
import { sentencesOf } from './sentences.ts';
import type { Order, Writer, Written } from './writer.ts';

/** Events of a stream are a few hundred bytes for a few letters, and models that think send their thoughts as well. */
const mostBytes = 2 * 1024 * 1024;
const mostCharacters = 50_000;

/** What of the configuration says which model to ask, and where. */
export interface ModelSettings {
  url: string;
  model: string;
  key: string | undefined;
}

/** Nothing when the operator has named no model server. */
export function modelSettings({ aiUrl, aiModel, aiKey }: Config): ModelSettings | undefined {
  return aiUrl === undefined || aiModel === undefined ? undefined : { url: aiUrl, model: aiModel, key: aiKey };
}

/** Has texts written by a model behind any server that speaks the protocol of OpenAI. */
export class ModelWriter implements Writer {
  readonly source: string;
  readonly #settings: ModelSettings;
  #model: Promise<Model> | undefined;

  constructor(settings: ModelSettings) {
    this.#settings = settings;
    this.source = settings.model;
  }

  /** Loads what speaks with the server, so that the first request need not wait for it. */
  async open(): Promise<void> {
    await this.#opened();
  }

  #opened(): Promise<Model> {
    this.#model ??= openModel(this.#settings);
    return this.#model;
  }

  /** Reads the answer as it comes, until it ends, fails, grows too long, or the signal says that it is enough. */
  async write(order: Order, signal: AbortSignal): Promise<Written> {
    const { ask, model } = await this.#opened();
    let text = '';
    let ending: string | undefined;
    try {
      const { stream } = ask({ model, ...promptFor(order), signal });
      for await (const part of stream) {
        if (part.type === 'error') return modelFault(part.error, this.source);
        if (part.type === 'abort') return modelFault(signal.reason, this.source);
        if (part.type === 'finish') ending = part.finishReason;
        if (part.type !== 'text-delta') continue;
        text += part.text;
        if (text.length > mostCharacters) return { kind: 'unavailable', detail: 'sent an answer without end' };
      }
    } catch (error) {
      return modelFault(signal.aborted ? signal.reason : error, this.source);
    }
    if (signal.aborted) return modelFault(signal.reason, this.source);
    if (ending === 'content-filter' || text.trim().replace(/[."]/g, '') === refusalWord) return { kind: 'refused' };
    if (text.trim() === '') return { kind: 'unavailable', detail: 'sent an empty answer' };
    return { kind: 'written', text: ending === 'length' ? withoutTorso(text, order.language) : text };
  }
}

/** Without the sentence in which the model was stopped. */
function withoutTorso(text: string, language: string): string {
  const sentences = sentencesOf(text.trim(), language);
  return sentences.length > 1 ? sentences.slice(0, -1).join('') : text;
}

type Model = Awaited<ReturnType<typeof openModel>>;

interface Question {
  model: LanguageModel;
  instructions: string;
  prompt: string;
  signal: AbortSignal;
}

/** Loaded only where there is a model server: most installations start without it. */
async function openModel({ url, model, key }: ModelSettings) {
  const [{ streamText }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ]);
  const server = createOpenAICompatible({
    name: 'model-server',
    baseURL: url,
    fetch: boundedFetch(mostBytes),
    ...(key !== undefined && { apiKey: key }),
  });
  return {
    model: server.chatModel(model),
    ask: ({ model: asked, instructions, prompt, signal }: Question) =>
      streamText({
        model: asked,
        instructions,
        prompt,
        abortSignal: signal,
        // Whoever waits for a post asks again, and is told why he has to.
        maxRetries: 0,
        telemetry: { isEnabled: false },
        // It is read from the stream; without this the library writes it to the console.
        onError: () => {},
      }),
  };
}
