import type { Module } from '../module.ts';
import { businessJobs } from './businesses/business-jobs.ts';
import { businessRoutes } from './businesses/business-routes.ts';
import { categoryRoutes } from './categories/category-routes.ts';
import { collectionRoutes } from './content/collection-routes.ts';
import { itemRoutes } from './content/item-routes.ts';
import { labelRoutes } from './labels/label-routes.ts';
import { productPlanRoutes } from './product-plans/product-plan-routes.ts';

export const catalogModule: Module = {
  routes: [categoryRoutes, productPlanRoutes, businessRoutes, labelRoutes, collectionRoutes, itemRoutes],
  jobs: [...businessJobs],
};

export {
  BusinessChange,
  type BusinessInput,
  BusinessResponse,
  businessResponse,
  businessStatuses,
  NewBusiness,
} from './businesses/business.ts';
export { countBusinesses, findBusiness, listBusinesses, visibleBusinessIds } from './businesses/business-store.ts';
export { activateBusiness } from './businesses/change-business.ts';
export { createBusiness } from './businesses/create-business.ts';
export { categoryName, currentCategory, findCategory, findCategoryByPath } from './categories/categories.ts';
export type { Category } from './categories/category.ts';
export { CategoryResponse } from './categories/category-routes.ts';
export { categoryLanguages, isCategoryLanguage, languagesFor } from './categories/category-words.ts';
export { categoriesNamed, searchCategories } from './categories/search-categories.ts';
export { readOptions } from './categories/tagging-schema.ts';
export { type ContentList, ContentListResponse, contentListResponse } from './content/content.ts';
export { CollectionChange, CollectionResponse, NewCollection } from './content/content-collection.ts';
export { collectionsWithMedia, contentListsOf, replaceContentLists } from './content/content-store.ts';
export { ContentLists, type NamedList, writtenLists } from './content/write-content-lists.ts';
export { type Label, LabelResponse, labelResponse } from './labels/label.ts';
export { ensureLabels, findLabels, findLabelsByName } from './labels/label-store.ts';
export { coverageOf, coveredDirectories } from './product-plans/coverage.ts';
export { newTerms } from './product-plans/product-plan.ts';
export { insertProductPlan, listProductPlans } from './product-plans/product-plan-store.ts';
