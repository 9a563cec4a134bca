import { buildCategories, type Category, categoryId, readLanguages, readWords } from './category.ts';

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
  if (requested === 'en') return ['en'];
  const steps = requested.trim().replaceAll('_', '-').toLowerCase().split('-');
  const spellings = [steps.join('-'), `${steps[0]}-${steps.at(-1)}`, steps[0] ?? ''];
  const known = spellings.map((spelling) => languages.get(spelling)).filter((language) => language !== undefined);
  return [...new Set([...known, 'en'])];
}

/** Also true for a region without its own names: `de-LU` falls back to `de`. */
export const isCategoryLanguage = (requested: string): boolean =>
  languages.has(requested.trim().replaceAll('_', '-').split('-')[0]?.toLowerCase() ?? '');

/** Read on first use and cached. */
function wordsOf(language: string): Words {
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

interface CategoryFilter {
  /** Word prefixes, without regard to case and accents. */
  query?: string;
  language: string;
  /** Only direct children; 0 for top-level categories. */
  parent?: number;
  selectable?: boolean;
  /** Include categories that were merged into another. */
  includeMerged?: boolean;
}

/** Each text starts with a space, so that a search for " word" matches word starts. */
interface Entry {
  category: Category;
  name: string;
  terms: readonly string[];
  nameAndTerms: string;
}

const indexes = new Map<string, readonly Entry[]>();

/** Best match first if there is a query, otherwise by name. */
export function searchCategories(filter: CategoryFilter): Category[] {
  const { query, language, parent, selectable, includeMerged = false } = filter;
  const text = fold(query ?? '');
  const matching = indexOf(language).filter(
    ({ category }) =>
      (includeMerged || category.mergedInto === undefined) &&
      (parent === undefined || (category.parent ?? 0) === parent) &&
      (selectable === undefined || category.selectable === selectable),
  );
  if (text === '') return query?.trim() ? [] : matching.map(({ category }) => category);
  const words = text.split(' ').map((word) => ` ${word}`);
  return matching
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank < noMatch)
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry.category);
}

/** Selectable categories with exactly this name, without regard to case, accents and punctuation. */
export function categoriesNamed(name: string, language: string): Category[] {
  const text = ` ${fold(name)}`;
  return indexOf(language).flatMap((entry) =>
    entry.name === text && entry.category.selectable && entry.category.mergedInto === undefined ? [entry.category] : [],
  );
}

/** Synonyms of the language and its base language. English synonyms only for English. */
function indexOf(language: string): readonly Entry[] {
  const chain = languagesFor(language);
  const key = chain[0] as string;
  const known = indexes.get(key);
  if (known) return known;
  const own = chain.filter((candidate) => candidate !== 'en' || key.startsWith('en'));
  const collator = new Intl.Collator([key.replace('@', '-'), 'en']);
  const entries = [...allCategories().values()]
    .map((category) => ({ category, shown: categoryName(category, key) }))
    .sort((a, b) => collator.compare(a.shown, b.shown) || a.category.id - b.category.id)
    .map(({ category, shown }) => {
      const name = ` ${fold(shown)}`;
      const terms = own.flatMap((candidate) => wordsOf(candidate).terms.get(category.path) ?? []);
      const spaced = terms.map((term) => ` ${fold(term)}`);
      return { category, name, terms: spaced, nameAndTerms: name + spaced.join('') };
    });
  indexes.set(key, entries);
  return entries;
}

const noMatch = 6;

function rankOf({ name, terms, nameAndTerms }: Entry, words: readonly string[]): number {
  const text = words.join('');
  if (name === text) return 0;
  if (name.startsWith(text)) return 1;
  if (words.every((word) => name.includes(word))) return 2;
  if (terms.includes(text)) return 3;
  if (words.every((word) => nameAndTerms.includes(word))) return 4;
  // Languages without spaces, and compound words: "Arzt" matches "Zahnarzt".
  return name.includes(text.slice(1)) ? 5 : noMatch;
}

/** Removes case, accents and punctuation. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}
