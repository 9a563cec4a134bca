import { buildCategories, type Category, categoryId } from './category.ts';
import { readLanguages, readWords } from './tagging-schema.ts';

let tree: ReadonlyMap<number, Category> | undefined;

/** All categories by id, built on first use. */
export function allCategories(): ReadonlyMap<number, Category> {
  tree ??= new Map(buildCategories().map((category) => [category.id, category]));
  return tree;
}

export const findCategory = (id: number): Category | undefined => allCategories().get(id);

export const findCategoryByPath = (path: string): Category | undefined => findCategory(categoryId(path));

/** The category itself, or the one it was merged into. */
export function currentCategory(id: number): Category | undefined {
  const seen = new Set<number>();
  let category = findCategory(id);
  while (category?.mergedInto !== undefined && !seen.has(category.id)) {
    seen.add(category.id);
    category = findCategory(category.mergedInto);
  }
  return category;
}

/** Falls back to English, then to the last segment of the path. */
export function categoryName({ path }: Category, language: string): string {
  for (const candidate of languagesFor(language)) {
    const name = wordsOf(candidate).names.get(path);
    if (name !== undefined) return name;
  }
  const words = path.slice(path.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

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
