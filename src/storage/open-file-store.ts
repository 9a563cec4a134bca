import type { Config } from '../config.ts';
import { DiskStore } from './disk-store.ts';
import type { FileStore } from './file-store.ts';
import { S3Store } from './s3-store.ts';

/** The configured store. It is not accessed before the first file. */
export const openFileStore = (config: Config): FileStore =>
  config.s3BucketUrl === undefined ? new DiskStore(config.dataDir) : new S3Store(config.s3BucketUrl, config);
