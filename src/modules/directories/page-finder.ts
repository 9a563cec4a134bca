import type { PageFinder } from '../../http/services.ts';
import { isFault } from './connector.ts';
import type { Directories } from './directories.ts';

const defaultRetryAfterSeconds = 30;

/** Looks up listings at their directories within an API request. */
export const pageFinder = (directories: Directories): PageFinder => ({
  async find(directoryType, reference) {
    const directory = directories.list.find(({ type }) => type === directoryType);
    if (!directory) {
      const message = `This process cannot reach ${directoryType}. Set WAYPOST_SANDBOX_URL and WAYPOST_SANDBOX_KEY.`;
      return { kind: 'unavailable', message, retryAfterSeconds: defaultRetryAfterSeconds };
    }
    if (!directory.supports.onlineListing) {
      return { kind: 'none', message: `${directory.name} has no web pages that a listing can be linked to.` };
    }
    const connector = directories.connector(directoryType);
    const page = await ('url' in reference ? connector.resolve(reference.url) : connector.read(reference.id));
    if (!isFault(page)) return page ? { kind: 'page', id: page.externalId, url: page.url ?? null } : { kind: 'none' };
    if (page.fault === 'refused') return { kind: 'none', message: page.messages.join(' ') };
    const retryAfterSeconds = page.fault === 'limited' ? page.retryAfterSeconds : defaultRetryAfterSeconds;
    return { kind: 'unavailable', message: `${page.detail} Send the request again later.`, retryAfterSeconds };
  },
});
