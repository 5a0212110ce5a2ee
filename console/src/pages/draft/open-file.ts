import { typeOfModel } from '../../description/fields.js';
import { addAllToDraft } from '../../draft/draft.js';
import { OpenImportFile, type OpenImportFileResult } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { Failure } from '../../graph/failure.js';
import { loadCode } from '../../graph/load-code.js';
import { texts } from '../../texts.js';

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

const LARGEST = 64 * 1024 * 1024;

/**
 * Adds the changes to the draft that the import of a file would make.
 * @throws Failure when the file can not be read, or makes more changes than a draft has
 */
export async function openFile(file: File): Promise<OpenedFile> {
  if (file.size > LARGEST) throw new Failure({ message: texts.draft.file.tooLarge });
  const { name } = file;
  const document = await parsed(name, await file.text());
  if (document === null) throw new Failure({ message: texts.draft.file.empty(name) });
  const { simulateImport } = await ask(OpenImportFile, { document }, { isImport: true });
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

async function parsed(name: string, content: string): Promise<unknown> {
  try {
    return await parsedContent(content);
  } catch (fault) {
    if (fault instanceof Failure) throw fault;
    const [reason = ''] = (fault instanceof Error ? fault.message : String(fault)).split('\n');
    throw new Failure({ message: texts.draft.file.unreadable(name, reason) });
  }
}

async function parsedContent(content: string): Promise<unknown> {
  // JSON is YAML as well, and much faster read as what it is.
  if (/^\s*[{[]/.test(content)) {
    try {
      return JSON.parse(content) as unknown;
    } catch {
      // YAML may begin so, too.
    }
  }
  const { parse } = await loadCode(() => import('yaml'));
  return parse(content) as unknown;
}
