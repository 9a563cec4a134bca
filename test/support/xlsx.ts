import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { read, type WorkBook } from '@e965/xlsx';
import { SaxesParser } from 'saxes';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** The parts of a zip archive by path. Rejects wrong sizes and checksums. */
async function partsOf(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(archive, { lazyEntries: true, strictFileNames: true }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    ),
  );
  const parts = new Map<string, Buffer>();
  return new Promise((resolve, reject) => {
    zip.on('error', reject).on('end', () => resolve(parts));
    zip.on('entry', (entry: Entry) =>
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error);
        const content = await buffer(stream).catch(reject);
        if (!content) return;
        if (crc32(content) !== entry.crc32) return reject(new Error(`${entry.fileName} has a wrong checksum`));
        parts.set(entry.fileName, content);
        zip.readEntry();
      }),
    );
    zip.readEntry();
  });
}

/** Throws unless a text is well-formed XML. */
function checkXml(text: string): void {
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
}

export interface ReadWorkbook {
  book: WorkBook;
  parts: Map<string, Buffer>;
  /** Rows of a sheet as plain values; empty cells are null. */
  rows(sheet: string): unknown[][];
}

/** Validates the archive and its XML, then opens the workbook with a separate library. */
export async function openWorkbook(content: Buffer | Readable): Promise<ReadWorkbook> {
  const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
  const parts = await partsOf(bytes);
  for (const part of parts.values()) checkXml(part.toString());
  const book = read(bytes, { type: 'buffer', cellNF: true, cellStyles: true, cellFormula: true });
  const rows = (sheet: string) => {
    const { '!data': cells, '!ref': ref } = read(bytes, { type: 'buffer', dense: true }).Sheets[sheet] ?? {};
    if (!ref || !cells) return [];
    return Array.from(cells, (row) => Array.from(row ?? [], (cell) => cell?.v ?? null));
  };
  return { book, parts, rows };
}
