import { readerOf } from '../../../../base/schema-reader.js';
import { choice, filledListOf, schemaOf } from '../../../../base/typed-schema.js';
import { attribute, objects, textSet } from '../../../../kernel/declare/attribute.js';
import { SEMANTIC } from '../../../../kernel/declare/resource.js';
import { SEMANTICS } from '../../../../kernel/policy/index.js';
import { desktopOsTypes } from '../../operating-system.js';
import { definePosture } from '../posture-type.js';
import { OPTIONAL_TEXTS, PROGRAM_FILE, ProgramFile } from '../process/posture-process.js';
import { PostureQueryProcess, queriedProcess } from '../process/process-query.js';
import type { ProcessReport, ProcessSubject } from '../process/process-reports.js';
import { actualProcess, meetsProcess } from '../process/process-rule.js';

/** One of several programs. */
class PostureProcessOfMany extends ProgramFile {
  @attribute(textSet(), { description: 'SHA-1 of its signers; empty: any.' })
  readonly signerFingerprints!: readonly string[];
}

const fields = {
  semantic: {
    type: SEMANTIC,
    description: 'Whether all or any must run',
    read: readerOf(choice(SEMANTICS)),
  },
  processes: {
    type: objects(() => PostureProcessOfMany),
    description: 'The programs',
    read: readerOf<readonly PostureProcessOfMany[]>(
      filledListOf(schemaOf({ ...PROGRAM_FILE, signerFingerprints: OPTIONAL_TEXTS })),
    ),
  },
};

interface ProcessMultiQuery {
  readonly processes?: readonly PostureQueryProcess[];
}

/** The latest report of a path counts, whichever check it answered. An empty path has none. */
const reportOf = (reports: readonly ProcessReport[], path: string): ProcessReport | undefined =>
  path === '' ? undefined : reports.findLast((report) => report.path === path);

/** All or any of several programs run, as clients report them to checks of one program. */
export const processMultiPosture = definePosture({
  id: 'PROCESS_MULTI',
  meaning: 'Several programs, all or any of which run.',
  answeredOn: desktopOsTypes,
  fields,
  documentedFields: ['processes', 'semantic'],
  rule: {
    passes: ({ semantic, processes }, { data }: ProcessSubject) => {
      const wanted = processes ?? [];
      // An empty path is never reported: it fails all of them, and any other may do.
      const isMet = (one: PostureProcessOfMany): boolean =>
        meetsProcess(reportOf(data.processes, one.path), one);
      if (wanted.length === 0) return false;
      return semantic === 'AnyOf' ? wanted.some(isMet) : wanted.every(isMet);
    },
    failure: ({ semantic, processes }, { data }) => ({
      actualValue: (processes ?? [])
        .map(({ path }) => reportOf(data.processes, path))
        .filter((report) => report !== undefined)
        .map(actualProcess),
      expectedValue: processes ?? [],
      semantic: semantic ?? 'AllOf',
    }),
  },
  failureMembers: {
    semantic: { type: SEMANTIC, description: 'Whether all processes are wanted or any' },
  },
  query: {
    members: {
      processes: {
        type: objects(() => PostureQueryProcess),
        description: 'Processes to look for.',
        nullable: true,
        omitEmpty: true,
      },
    },
    values: ({ processes }): ProcessMultiQuery =>
      processes ? { processes: processes.map(queriedProcess) } : {},
    // An empty list is left out, as an absent one.
    onRest: ({ processes, ...query }) =>
      Array.isArray(processes) && processes.length > 0 ? { ...query, processes } : query,
  },
});
