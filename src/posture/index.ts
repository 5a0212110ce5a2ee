export { checkPosture, type PostureVerb, type StoredPostureCheck } from './check-posture.js';
export type {
  PostureCheckFields,
  PostureProcess,
  PostureProcessOfMany,
} from './posture-check-fields.js';
export {
  osTypes,
  postureCheckTypeIds,
  postureCheckTypes,
  type OperatingSystem,
  type OsType,
  type PostureCheckType,
  type PostureCheckTypeId,
} from './posture-check-types.js';
export { parseStrictVersion, satisfiesRange } from './satisfies-range.js';
export {
  parseVersionRange,
  type VersionComparator,
  type VersionOperator,
  type VersionPattern,
  type VersionRange,
} from './version-range.js';
