import { defineJob, type JobContext } from '../../jobs/job.ts';
import { TaskFailure, taskJob } from '../../jobs/tasks/task-job.ts';
import { type RunningTask, taskDefinition } from '../../jobs/tasks/task-store.ts';
import { Problem } from '../../problems.ts';
import { findPartner } from '../accounts/index.ts';
import { searchCategories } from '../catalog/index.ts';
import { type DirectoryListing, isFault, type ListingProfile } from '../directories/index.ts';
import { createLocation } from './create-location.ts';
import type { LocationInput } from './location.ts';

export const downloadTask = 'LOCATION_DATA_DOWNLOAD';
export const downloadJob = defineJob('locations.download', taskDefinition);

interface DownloadParameters {
  businessId: number;
  directoryType: string;
  externalId?: string;
  search?: ListingProfile;
  identifier?: string;
  categories?: number[];
}

/** Creates a location from a directory listing. */
export const runDownload = taskJob({
  job: downloadJob,
  async *steps(task, context) {
    if (task.step > 0) return;
    const parameters = task.parameters as unknown as DownloadParameters;
    const listing = await readListing(parameters, task, context);
    yield async (transaction) => {
      const partner = await findPartner(transaction, task.partnerId, task.partnerId);
      if (!partner) throw new TaskFailure('The partner no longer exists.');
      const { externalId, url } = listing;
      try {
        const actor = { partner, by: task.createdBy };
        const input = inputOf(listing, parameters);
        const location = await createLocation(transaction, actor, 'LOCATION_DATA_DOWNLOAD', input);
        const result = { locationId: location.id, externalId, ...(url && { url }) };
        return { position: null, done: 1, result };
      } catch (error) {
        throw error instanceof Problem ? new TaskFailure(error.message) : error;
      }
    };
  },
});

async function readListing(
  { directoryType, externalId, search }: DownloadParameters,
  { partnerId }: RunningTask,
  { directories }: JobContext,
): Promise<DirectoryListing> {
  const connector = directories.connector(directoryType, { partnerId, requested: true });
  const response =
    externalId === undefined ? await connector.search(search as ListingProfile) : await connector.read(externalId);
  if (isFault(response)) {
    const reason = response.fault === 'refused' ? response.messages.join(' ') : response.detail;
    throw new TaskFailure(`The listing could not be read from ${directoryType}: ${reason}`);
  }
  const listing = Array.isArray(response) ? response[0] : response;
  if (!listing) throw new TaskFailure(`The listing was not found on ${directoryType}.`);
  return listing;
}

/** Maps a directory listing to a location. Values of the request have precedence. */
function inputOf({ profile }: DirectoryListing, given: DownloadParameters): LocationInput {
  const { categories: names = [], photos = [], name, street = '', city = '', country = '', ...shown } = profile;
  const { streetNo, addressExtra, zip, province, lat, lng, addressDisplay, phone, website, email } = shown;
  const { descriptionShort, descriptionLong, openingHours, specialOpeningHours, temporarilyClosed } = shown;
  const categories = given.categories ?? names.flatMap(categoryNamed);
  const address = { streetNo, addressExtra, zip, province, lat, lng, addressDisplay };
  const rest = { phone, website, email, descriptionShort, descriptionLong, openingHours, specialOpeningHours };
  const known = Object.fromEntries(
    Object.entries({ ...address, ...rest, temporarilyClosed }).filter(([, value]) => value !== undefined),
  );
  return {
    ...known,
    businessId: given.businessId,
    ...(given.identifier !== undefined && { identifier: given.identifier }),
    name,
    street,
    city,
    country,
    categories,
    ...(photos.length > 0 && { photos: photos.map((url) => ({ url })) }),
  };
}

function categoryNamed(name: string): number[] {
  const [found] = searchCategories({ query: name, language: 'en', selectable: true });
  return found ? [found.id] : [];
}
