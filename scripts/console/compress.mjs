/** Compresses the files of a folder once, at the build, so that the controller only sends them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TEXT = /\.(css|html|js|json|svg)$/;

/** Writes `<file>.br` and `<file>.gz` where they are smaller. */
export function compressFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXT.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 10 };
    const packed = {
      br: brotliCompressSync(content, { params: quality }),
      gz: gzipSync(content, { level: 9 }),
    };
    for (const [ending, bytes] of Object.entries(packed)) {
      if (bytes.length < content.length) writeFileSync(`${path}.${ending}`, bytes);
    }
  }
}
