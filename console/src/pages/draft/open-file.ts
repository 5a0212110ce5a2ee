import { typeOfModel } from '../../description/fields.js';
import { addAllToDraft } from '../../draft/draft.js';
import { OpenImportFile, type OpenImportFileResult } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { Failure } from '../../graph/failure.js';
import { texts } from '../../texts.js';
import { readFile } from './read-file.js';

/** The result of opening an import file. */
export interface OpenedFile {
  readonly name: string;
  /** The number of changes that the draft got. */
  readonly count: number;
  readonly faults: readonly string[];
  readonly faultCount: number;
  /** The parts of the file that the draft does not hold, in one line each. */
  readonly leftOut: readonly string[];
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

interface Opening {
  readonly signal: AbortSignal;
  /** Takes the percentage that is read, and undefined when the controller has the file. */
  readonly progress: (percent: number | undefined) => void;
}

/**
 * Adds the changes to the draft that the import of a file would make.
 * @throws Failure when the file can not be read, or makes more changes than a draft has
 */
export async function openFile(file: File, { signal, progress }: Opening): Promise<OpenedFile> {
  const { name } = file;
  if (file.size > MAX_FILE_BYTES) throw new Failure({ message: texts.draft.file.tooLarge });
  progress(0);
  const document = await readFile(file, { signal, progress });
  progress(undefined);
  const { simulateImport } = await ask(OpenImportFile, { document: null }, { document, signal });
  // Another file may have been chosen meanwhile.
  signal.throwIfAborted();
  if (!simulateImport) return { name, count: 0, faults: [], faultCount: 0, leftOut: [] };
  const { faults, faultCount, ignored, changes } = simulateImport;
  addChanges(changes);
  const leftOut = [...changes.unlisted, ...ignored];
  return { name, count: changes.totalCount, faults, faultCount, leftOut };
}

type Changes = NonNullable<OpenImportFileResult['simulateImport']>['changes'];

function addChanges({ nodes, totalCount }: Changes): void {
  if (totalCount > nodes.length) {
    throw new Failure({ message: texts.draft.file.tooMany(totalCount, nodes.length) });
  }
  addAllToDraft(
    nodes.map(({ operation, type, entityId, name, revision, input }) => ({
      operation,
      type: typeOfModel(type),
      id: entityId,
      name,
      input,
      revision: revision ?? undefined,
    })),
  );
}
