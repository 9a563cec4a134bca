import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { type PageQuery, pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import { invalidField, notFound } from '../../../problems.ts';
import { categoryName, findCategory } from './categories.ts';
import type { Category } from './category.ts';
import { categoryLanguages, isCategoryLanguage } from './category-words.ts';
import { searchCategories } from './search-categories.ts';

export const CategoryResponse = Type.Object({
  id: Type.Integer({ description: 'The same for all time' }),
  name: Type.String({ description: 'In the language asked for, in English where that has no name for it' }),
  names: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'By language, for the languages asked for' }),
  ),
  path: Type.String({ description: 'Its place in the tree, such as amenity/restaurant' }),
  parent: Type.Optional(Type.Integer({ description: 'Absent at the top of the tree' })),
  selectable: Type.Boolean({ description: 'Whether a location may have it' }),
  mergedInto: Type.Optional(Type.Integer({ description: 'The category that has taken its place' })),
});

const languageQuery = {
  language: Type.String({
    default: 'en',
    maxLength: 20,
    description: 'Of names and search words, such as de or pt-BR',
  }),
  languages: Type.Array(Type.String({ maxLength: 20 }), {
    default: [],
    maxItems: 10,
    description: 'Answer with names in each of these as well',
  }),
};

export function categoryRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    path: '/api/categories',
    summary: 'The categories that locations can have',
    query: Type.Object({
      ...pageQuery,
      ...languageQuery,
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the name, or words that mean it' })),
      parent: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Those directly below this one; 0 for those at the top',
        }),
      ),
      selectable: Type.Optional(Type.Boolean()),
      includeMerged: Type.Boolean({ default: false, description: 'Those as well whose place another has taken' }),
    }),
    response: pageSchema('categories', CategoryResponse),
    handler: async ({ query, grants }) => {
      checkLanguages(query);
      const includeMerged = query.includeMerged || grants.has('DEPRECATED_CATEGORIES');
      const found = searchCategories({ ...query, includeMerged });
      const page = behind(found, query).slice(query.offset, query.offset + query.max);
      return pageOf(
        'categories',
        query,
        found.length,
        page.map((category) => categoryResponse(category, query)),
      );
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/categories/:id',
    summary: 'A category',
    params: Type.Object({ id: Id }),
    query: Type.Object(languageQuery),
    response: CategoryResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ params: { id }, query }) => {
      checkLanguages(query);
      const category = findCategory(id);
      if (!category) throw notFound(`category ${id}`);
      return categoryResponse(category, query);
    },
  });
}

interface Languages {
  language: string;
  languages: string[];
}

function categoryResponse(category: Category, { language, languages }: Languages): Static<typeof CategoryResponse> {
  const { id, path, parent, selectable, mergedInto } = category;
  return {
    id,
    name: categoryName(category, language),
    ...(languages.length > 0 && {
      names: Object.fromEntries(languages.map((name) => [name, categoryName(category, name)])),
    }),
    path,
    ...(parent !== undefined && { parent }),
    selectable,
    ...(mergedInto !== undefined && { mergedInto }),
  };
}

function checkLanguages({ language, languages }: Languages): void {
  for (const [field, asked] of [['language', language], ...languages.map((name) => ['languages', name])]) {
    if (isCategoryLanguage(asked as string)) continue;
    throw invalidField(field as string, 'language', `${field} must be one of ${categoryLanguages.join(', ')}.`);
  }
}

/** The list is in order of names or of fitness: `after` is the last entry of the page before, wherever it stands. */
function behind(found: readonly Category[], { after }: PageQuery): readonly Category[] {
  if (after === undefined) return found;
  const position = found.findIndex(({ id }) => id === after);
  if (position < 0)
    throw invalidField('after', 'known', `after must be the id of a category of this list, not ${after}.`);
  return found.slice(position + 1);
}
