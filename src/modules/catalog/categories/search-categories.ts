import { allCategories, categoryName } from './categories.ts';
import type { Category } from './category.ts';
import { languagesFor, wordsOf } from './category-words.ts';

export interface CategoryFilter {
  /** What somebody types: the beginning of words is enough, case and accents do not matter. */
  query?: string;
  language: string;
  /** Those directly below it; 0 stands for those at the top. */
  parent?: number;
  selectable?: boolean;
  /** Those as well whose place another one has taken. */
  includeMerged?: boolean;
}

/** Texts begin with a space, so that a word begins wherever a space and it are found. */
interface Entry {
  category: Category;
  name: string;
  terms: readonly string[];
  nameAndTerms: string;
}

const indexes = new Map<string, readonly Entry[]>();

/** The categories that fit, the best first when there is a query, otherwise by name. */
export function searchCategories(filter: CategoryFilter): Category[] {
  const { query, language, parent, selectable, includeMerged = false } = filter;
  const asked = fold(query ?? '');
  const fitting = indexOf(language).filter(
    ({ category }) =>
      (includeMerged || category.mergedInto === undefined) &&
      (parent === undefined || (category.parent ?? 0) === parent) &&
      (selectable === undefined || category.selectable === selectable),
  );
  if (asked === '') return fitting.map(({ category }) => category);
  const words = asked.split(' ').map((word) => ` ${word}`);
  return fitting
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank < noMatch)
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry.category);
}

/** Those that locations may have and that are called exactly this; case, accents and punctuation do not matter. */
export function categoriesNamed(name: string, language: string): Category[] {
  const asked = ` ${fold(name)}`;
  return indexOf(language).flatMap((entry) =>
    entry.name === asked && entry.category.selectable && entry.category.mergedInto === undefined
      ? [entry.category]
      : [],
  );
}

/** Words of the asked language and of the one it is a variety of; English ones only for those who ask in English. */
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
  const asked = words.join('');
  if (name === asked) return 0;
  if (name.startsWith(asked)) return 1;
  if (words.every((word) => name.includes(word))) return 2;
  if (terms.includes(asked)) return 3;
  if (words.every((word) => nameAndTerms.includes(word))) return 4;
  // Languages that write without spaces, and words that are put together: "Zahnarzt" is an "Arzt".
  return name.includes(asked.slice(1)) ? 5 : noMatch;
}

/** Without case, accents and punctuation. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}
