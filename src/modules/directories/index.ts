import type { Module } from '../module.ts';
import { directoryRoutes } from './directory-routes.ts';

export const directoriesModule: Module = {
  routes: [directoryRoutes],
  jobs: [],
};

export {
  type DailyInsight,
  type DataPointPage,
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryDataPoint,
  type DirectoryFault,
  type DirectoryListing,
  type DirectoryPost,
  type DirectoryReply,
  type DirectoryResult,
  dataPointTypes,
  isFault,
  type KeywordInsight,
  ListingProfile,
  type OpeningHours,
  type SpecialOpeningHours,
  type SubmissionReview,
} from './connector.ts';
export {
  acceptsSubmissions,
  type Directory,
  DirectoryResponse,
  directoryList,
  directoryName,
  findDirectory,
  isEmpty,
  missingFields,
  refusingDirectories,
} from './directory-list.ts';
export { type Directories, directoriesOf, openDirectories, pageFinder } from './open-directories.ts';
export {
  type FailureMode,
  type PopulatedPlace,
  type ReceiverMode,
  receiverModes,
  type SandboxAccess,
  SandboxControl,
  SandboxError,
  type SandboxListing,
  type SandboxStatus,
} from './sandbox-control.ts';
