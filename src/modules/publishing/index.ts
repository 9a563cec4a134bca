import type { Module } from '../module.ts';
import { assetFileRoutes } from './assets/asset-file-routes.ts';
import { assetRoutes, socialTemplateRoutes } from './assets/asset-routes.ts';
import { assetUploadRoutes } from './assets/asset-upload-routes.ts';
import { folderRoutes } from './assets/folder-routes.ts';
import { socialAiRoutes } from './social-ai/social-ai-routes.ts';
import { releasePublicationsOf } from './social-posts/publication-store.ts';
import { socialPostJobs } from './social-posts/social-post-jobs.ts';
import { socialPostRoutes } from './social-posts/social-post-routes.ts';

export const publishingModule: Module = {
  routes: [
    socialPostRoutes,
    assetRoutes,
    assetUploadRoutes,
    folderRoutes,
    socialTemplateRoutes,
    assetFileRoutes,
    socialAiRoutes,
  ],
  jobs: [...socialPostJobs],
  releaseLeases: releasePublicationsOf,
  storedFiles: { assets: ['file_name', 'thumbnail_name'] },
};

export { type Asset, assetResponse, newTemplate } from './assets/asset.ts';
export type { AssetFile } from './assets/asset-store.ts';
export { createAsset, storeAssetFile } from './assets/change-asset.ts';
export { checkFile } from './assets/file-content.ts';
export { createFolder } from './assets/folder-routes.ts';
export { listFolders } from './assets/folder-store.ts';
export { listFinderPosts, StoreFinderPost } from './social-posts/finder-posts.ts';
export type { PostInput } from './social-posts/social-post.ts';
export { PublicationResponse } from './social-posts/social-post.ts';
export { createPost } from './social-posts/write-post.ts';
