import type { Module } from '../module.ts';
import { businessRoutes } from './businesses/business-routes.ts';
import { businessJobs } from './businesses/change-business.ts';
import { categoryRoutes } from './categories/category-routes.ts';
import { collectionRoutes, itemRoutes } from './content/content-routes.ts';
import { labelRoutes } from './labels/label-routes.ts';
import { productPlanRoutes } from './product-plans/product-plan-routes.ts';

export const catalogModule: Module = {
  routes: [categoryRoutes, productPlanRoutes, businessRoutes, labelRoutes, collectionRoutes, itemRoutes],
  jobs: businessJobs,
};

export {
  BusinessChange,
  type BusinessInput,
  BusinessResponse,
  businessResponse,
  businessStatuses,
  NewBusiness,
} from './businesses/business.ts';
export {
  activateBusiness,
  countBusinesses,
  findBusiness,
  listBusinesses,
  readBusiness,
  unknownBusinesses,
  visibleBusinessIds,
} from './businesses/business-store.ts';
export { createBusiness, requireBusiness } from './businesses/change-business.ts';
export {
  categoriesNamed,
  categoryLanguages,
  categoryName,
  currentCategory,
  findCategory,
  findCategoryByPath,
  isCategoryLanguage,
  languagesFor,
  searchCategories,
} from './categories/categories.ts';
export type { Category } from './categories/category.ts';
export { readOptions } from './categories/category.ts';
export { CategoryResponse } from './categories/category-routes.ts';
export {
  CollectionChange,
  CollectionResponse,
  type ContentList,
  ContentListResponse,
  contentListResponse,
  itemLimitWarning,
  NewCollection,
} from './content/content.ts';
export { collectionChanged } from './content/content-changes.ts';
export {
  contentListsOf,
  contentListsOfRow,
  locationsUsing,
  replaceContentLists,
} from './content/content-list-store.ts';
export { collectionsWithMedia } from './content/content-store.ts';
export { ContentLists, type NamedList, writtenLists } from './content/write-content-lists.ts';
export {
  ensureLabels,
  findLabels,
  findLabelsByName,
  keepLabels,
  type Label,
  LabelResponse,
  labelsOfRow,
  maxNamedUses,
  rejectDeletingOnlyTarget,
} from './labels/label-store.ts';
export { newTerms } from './product-plans/product-plan.ts';
export {
  coverageOf,
  coveredDirectories,
  directoriesOfPlan,
  insertProductPlan,
  listProductPlans,
  planDirectoriesOfRow,
} from './product-plans/product-plan-store.ts';
