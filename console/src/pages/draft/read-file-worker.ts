import { readDocument, UnreadableDocument } from './read-document.js';
import type { ReadingMessage } from './read-file.js';

/* Reads import files beside the page, which a large one would stop for a minute. */

const tell = (message: ReadingMessage): void => {
  self.postMessage(message);
};

async function read(file: File): Promise<void> {
  let shownPercent = 0;
  const progress = (share: number): void => {
    const percent = Math.floor(share * 100);
    if (percent <= shownPercent) return;
    shownPercent = percent;
    tell({ is: 'progress', percent });
  };
  try {
    tell({ is: 'progress', percent: 0 });
    const json = readDocument(await file.text(), progress);
    tell(json === 'null' ? { is: 'empty' } : { is: 'read', json: new Blob([json]) });
  } catch (fault) {
    const { fault: unreadable } = fault instanceof UnreadableDocument ? fault : {};
    tell({ is: 'unreadable', fault: unreadable ?? plainFault(fault) });
  }
}

const plainFault = (fault: unknown) => ({
  reason: fault instanceof Error ? fault.message : String(fault),
  line: undefined,
  column: undefined,
});

self.addEventListener('message', ({ data }: MessageEvent<File>) => {
  void read(data);
});
