import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { idParams } from '../../../http/ids.ts';
import { type PageQuery, pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import { invalidField, requireFound } from '../../../problems.ts';
import { categoryLanguages, categoryName, findCategory, isCategoryLanguage, searchCategories } from './categories.ts';
import type { Category } from './category.ts';

export const CategoryResponse = Type.Object({
  id: Type.Integer({ description: 'Stable id' }),
  name: Type.String({ description: 'Name in the requested language, or in English if there is no translation' }),
  names: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Names by language, for the requested languages' }),
  ),
  path: Type.String({ description: 'Path in the category tree, such as amenity/restaurant' }),
  parent: Type.Optional(Type.Integer({ description: 'Id of the parent. Absent for top-level categories.' })),
  selectable: Type.Boolean({ description: 'Whether locations can be assigned to it' }),
  mergedInto: Type.Optional(Type.Integer({ description: 'Id of the category that replaced it' })),
});

const languageQuery = {
  language: Type.String({
    default: 'en',
    maxLength: 20,
    description: 'Language of names and search terms, such as de or pt-BR',
  }),
  languages: Type.Array(Type.String({ maxLength: 20 }), {
    default: [],
    maxItems: 10,
    description: 'Include names in these languages as well',
  }),
};

export function categoryRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    path: '/api/categories',
    summary: 'List categories',
    query: Type.Object({
      ...pageQuery,
      ...languageQuery,
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the name or of its synonyms' })),
      parent: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only direct children of this category; 0 for top-level categories',
        }),
      ),
      selectable: Type.Optional(Type.Boolean()),
      includeMerged: Type.Boolean({ default: false, description: 'Include categories that were merged into another' }),
    }),
    response: pageSchema('categories', CategoryResponse),
    handler: async ({ query, grants }) => {
      checkLanguages(query);
      const includeMerged = query.includeMerged || grants.has('DEPRECATED_CATEGORIES');
      const found = searchCategories({ ...query, includeMerged });
      const page = entriesAfter(found, query).slice(query.offset, query.offset + query.max);
      const categories = page.map((category) => categoryResponse(category, query));
      return pageOf('categories', query, found.length, categories);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/categories/:id',
    summary: 'Get a category',
    params: idParams,
    query: Type.Object(languageQuery),
    response: CategoryResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ params: { id }, query }) => {
      checkLanguages(query);
      return categoryResponse(requireFound(findCategory(id), `category ${id}`), query);
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
  for (const [field, requested] of [['language', language], ...languages.map((name) => ['languages', name])]) {
    if (isCategoryLanguage(requested as string)) continue;
    throw invalidField(field as string, 'language', `${field} must be one of ${categoryLanguages.join(', ')}.`);
  }
}

/** The list is sorted by name or rank, so `after` is located by position. */
function entriesAfter(found: readonly Category[], { after }: PageQuery): readonly Category[] {
  if (after === undefined) return found;
  const position = found.findIndex(({ id }) => id === after);
  if (position < 0)
    throw invalidField('after', 'known', `after must be the id of a category in this list, not ${after}.`);
  return found.slice(position + 1);
}
