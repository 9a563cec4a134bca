import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** OpenStreetMap's tagging schema: https://github.com/openstreetmap/id-tagging-schema */
const folder = join(
  dirname(createRequire(import.meta.url).resolve('@openstreetmap/id-tagging-schema/package.json')),
  'dist',
);

type Tags = Record<string, string>;

/** A type of map feature. */
export interface Preset {
  tags: Tags;
  addTags?: Tags;
  geometry: string[];
  fields?: string[];
  moreFields?: string[];
  searchable?: boolean;
  replacement?: string;
}

interface PresetWords {
  name?: string;
  aliases?: string[];
  terms?: string[];
}

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

/** Presets by path, without templates ("@…"). */
export function readPresets(): Map<string, Preset> {
  const presets = Object.entries(readJson('presets.min.json') as Record<string, Preset>);
  return new Map(presets.filter(([path]) => !path.startsWith('@')));
}

/** Deprecated tags and their replacements. */
export function readDeprecatedTags(): { old: Tags; replace?: Tags }[] {
  return readJson('deprecated.min.json');
}

/** Language codes of the package, such as `de`, `pt-BR`, `be@tarask`. */
export function readLanguages(): string[] {
  return readdirSync(join(folder, 'translations'))
    .filter((file) => file.endsWith('.min.json') && file !== 'index.min.json')
    .map((file) => file.slice(0, -'.min.json'.length));
}

interface FieldWords {
  label?: string;
  options?: Record<string, string | { title?: string }>;
}

interface Translation {
  presets?: Record<string, PresetWords>;
  fields?: Record<string, FieldWords>;
}

const readTranslation = (language: string): Translation => {
  const file = readJson('translations', `${language}.min.json`) as Record<string, { presets?: Translation }>;
  return file[language]?.presets ?? {};
};

/** Translated preset names by path. */
export const readWords = (language: string): Record<string, PresetWords> => readTranslation(language).presets ?? {};

/** Translated options of a field, such as payment methods. */
export function readOptions(language: string, field: string): Map<string, string> {
  const options = Object.entries(readTranslation(language).fields?.[field]?.options ?? {});
  return new Map(
    options.flatMap(([option, words]) => {
      const title = typeof words === 'string' ? words : words.title;
      return title ? [[option, title] as const] : [];
    }),
  );
}
