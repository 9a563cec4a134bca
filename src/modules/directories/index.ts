import type { Module } from '../module.ts';
import { directoryRoutes } from './directory-routes.ts';

export const directoriesModule: Module = {
  routes: [directoryRoutes],
  jobs: [],
};

export {
  type DailyInsight,
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryDataPoint,
  type DirectoryFault,
  type DirectoryListing,
  type DirectoryPost,
  type DirectoryReply,
  type DirectoryResult,
  isFault,
  type KeywordInsight,
  type ListingProfile,
  type OpeningHours,
  type SpecialOpeningHours,
  type SubmissionReview,
} from './connector.ts';
export type { Directory } from './directory.ts';
export { acceptsSubmissions, isEmpty, missingFields, refusingDirectories } from './directory.ts';
export { directoryList, findDirectory } from './directory-list.ts';
export { DirectoryResponse } from './directory-routes.ts';
export type { Directories } from './open-directories.ts';
export { directoriesOf, openDirectories, pageFinder } from './open-directories.ts';
export {
  type ReceiverMode,
  receiverModes,
  type SandboxAccess,
  SandboxControl,
  SandboxError,
  type SandboxListing,
  type SandboxStatus,
} from './sandbox-control.ts';
