import { readLanguages, readWords } from './tagging-schema.ts';

/** What a language says about categories, by path. */
interface Words {
  names: ReadonlyMap<string, string>;
  /** Other words that people look for it by. */
  terms: ReadonlyMap<string, readonly string[]>;
}

const languages = new Map(readLanguages().map((language) => [language.toLowerCase(), language]));
const loaded = new Map<string, Words>();

/** Every language in which categories have names. */
export const categoryLanguages: readonly string[] = [...languages.values()];

/** The languages to look for a name in, the asked one first: `de-AT`, then `de`, then English. */
export function languagesFor(asked: string): string[] {
  const steps = asked.trim().replaceAll('_', '-').toLowerCase().split('-');
  const spellings = [steps.join('-'), `${steps[0]}-${steps.at(-1)}`, steps[0] ?? ''];
  const known = spellings.map((spelling) => languages.get(spelling)).filter((language) => language !== undefined);
  return [...new Set([...known, 'en'])];
}

/** Whether any of its spellings has names: `de-LU` has, by `de`. */
export const isCategoryLanguage = (asked: string): boolean =>
  languages.has(asked.trim().replaceAll('_', '-').split('-')[0]?.toLowerCase() ?? '');

/** Read from the package when it is first asked for, and kept. */
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
