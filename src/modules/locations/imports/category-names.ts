import { LRUCache } from 'lru-cache';
import { countryCode } from '../../../values/countries.ts';
import {
  type Category,
  categoriesNamed,
  categoryName,
  findCategory,
  findCategoryByPath,
  searchCategories,
} from '../../catalog/index.ts';

type Resolved = { id: number } | { problem: string };

const maxSuggestions = 5;
const maxNameLength = 100;
// Files repeat a few names in many rows.
const resolved = new LRUCache<string, Resolved>({ max: 1000 });

/** Resolves a category by id, path, or name in English or the main language of the country. */
export function categoryByName(name: string, country: unknown): Resolved {
  const languages = languagesOf(country);
  const key = [...languages, name].join(' ');
  const known = resolved.get(key);
  if (known) return known;
  const found = resolve(name, languages);
  resolved.set(key, found);
  return found;
}

function resolve(name: string, languages: readonly string[]): Resolved {
  const direct = /^\d{1,10}$/.test(name) ? findCategory(Number(name)) : findCategoryByPath(name);
  if (direct) return { id: direct.id };
  for (const language of languages) {
    const [first, ...others] = categoriesNamed(name, language);
    if (first && others.length === 0) return { id: first.id };
    if (first) return { problem: ambiguous(name, [first, ...others]) };
  }
  return { problem: unknown(name, languages) };
}

function languagesOf(country: unknown): string[] {
  const code = typeof country === 'string' ? countryCode(country) : undefined;
  return [...new Set(['en', ...(code ? [new Intl.Locale(`und-${code}`).maximize().language] : [])])];
}

const ambiguous = (name: string, found: readonly Category[]) =>
  `Category ${name} is ambiguous. Use one of these paths: ` + `${found.map(({ path }) => path).join(', ')}.`;

function unknown(name: string, languages: readonly string[]): string {
  const short = name.slice(0, maxNameLength);
  const similar = languages.flatMap((language) =>
    searchCategories({ query: short, language, selectable: true })
      .slice(0, maxSuggestions)
      .map((category) => categoryName(category, language)),
  );
  const suggestions = [...new Set(similar)].slice(0, maxSuggestions);
  const hint = suggestions.length > 0 ? ` Similar: ${suggestions.join(', ')}.` : '';
  return `Category ${short} does not exist.${hint} Use the name or id of a category.`;
}
