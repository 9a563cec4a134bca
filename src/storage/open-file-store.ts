import type { Config } from '../config.ts';
import { DiskStore } from './disk-store.ts';
import type { FileStore } from './file-store.ts';
import { S3Store } from './s3-store.ts';

type FileSettings = Pick<Config, 'dataDir' | 's3BucketUrl' | 's3Region' | 's3KeyId' | 's3Secret'>;

/** The configured store. It is not accessed before the first file. */
export function openFileStore({ dataDir, s3BucketUrl, s3Region, s3KeyId, s3Secret }: FileSettings): FileStore {
  if (s3BucketUrl === undefined) return new DiskStore(dataDir);
  return new S3Store({
    bucketUrl: s3BucketUrl,
    region: s3Region,
    keyId: s3KeyId ?? '',
    secret: s3Secret ?? '',
    dataDir,
  });
}
