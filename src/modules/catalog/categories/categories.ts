import type { Category } from './category.ts';
import { categoryId } from './category-id.ts';
import { buildCategories } from './category-tree.ts';
import { languagesFor, wordsOf } from './category-words.ts';

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
