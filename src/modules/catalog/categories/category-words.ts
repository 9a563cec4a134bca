import { readLanguages, readWords } from './tagging-schema.ts';

/** Category names and synonyms of one language, by path. */
interface Words {
  names: ReadonlyMap<string, string>;
  /** Synonyms for the search. */
  terms: ReadonlyMap<string, readonly string[]>;
}

const languages = new Map(readLanguages().map((language) => [language.toLowerCase(), language]));
const loaded = new Map<string, Words>();

export const categoryLanguages: readonly string[] = [...languages.values()];

/** Fallback order of languages, such as `de-AT`, `de`, `en`. */
export function languagesFor(requested: string): string[] {
  const steps = requested.trim().replaceAll('_', '-').toLowerCase().split('-');
  const spellings = [steps.join('-'), `${steps[0]}-${steps.at(-1)}`, steps[0] ?? ''];
  const known = spellings.map((spelling) => languages.get(spelling)).filter((language) => language !== undefined);
  return [...new Set([...known, 'en'])];
}

/** Also true for a region without its own names: `de-LU` falls back to `de`. */
export const isCategoryLanguage = (requested: string): boolean =>
  languages.has(requested.trim().replaceAll('_', '-').split('-')[0]?.toLowerCase() ?? '');

/** Read on first use and cached. */
export function wordsOf(language: string): Words {
  const known = loaded.get(language);
  if (known) return known;
  const presets = Object.entries(readWords(language));
  const words: Words = {
    names: new Map(presets.flatMap(([path, { name }]) => (name ? [[path, name]] : []))),
    terms: new Map(presets.map(([path, { aliases = [], terms = [] }]) => [path, [...aliases, ...terms]])),
  };
  loaded.set(language, words);
  return words;
}
