import { argv } from 'node:process';
import { Database } from '../../src/database/connection.ts';
import { createAsset, storeAssetFile } from '../../src/modules/publishing/assets/change-asset.ts';
import { checkFile } from '../../src/modules/publishing/assets/file-content.ts';
import { DiskStore } from '../../src/storage/open-file-store.ts';
import { sweepFiles } from '../../src/storage/pending-files.ts';
import { incomingFolder, receiveFile } from '../../src/storage/received-file.ts';
import { picture } from './assets.ts';

/** Uploads assets and sweeps deleted files until it is killed. */
const [, , url = '', dataDir = '', partnerId = ''] = argv;
const database = new Database(url, { connections: 3, name: 'waypost assets' });
const files = new DiskStore(dataDir);
const caller = {
  partnerId: Number(partnerId),
  partnerIdentifier: '',
  apiVersion: '',
  planFeatures: [],
  countedAs: '',
  by: 'SYSTEM',
};
const bytes = await picture();

async function* chunks() {
  for (let at = 0; at < bytes.length; at += 16) yield bytes.subarray(at, at + 16);
}

for (let count = 1; ; count++) {
  const received = await receiveFile(incomingFolder(dataDir), chunks());
  if (received === 'too-large') throw new Error('The file is too large.');
  const checked = await checkFile(received, { title: 'a.png', mimeType: '' });
  const file = await storeAssetFile(database.pool, files, checked, received.sha256);
  await database.transaction((transaction) =>
    createAsset(transaction, caller, { name: `asset ${count}` }, { type: 'IMAGE', file }),
  );
  process.stdout.write(`kept ${count}\n`);
  await sweepFiles(database.pool, files, new Date(0));
}
