import { description } from './description.js';

const ALL_READS = 'admin_readonly';

/** Each alone, of operations that need several: `identity.read+service.read`. */
const needed = Object.values(description.permissions)
  .flatMap((byOperation) => Object.values(byOperation))
  .flatMap((permissions) => permissions.split('+'));

const actions = [...new Set(needed)].filter((each) => /^(?!admin\.).+\./.test(each)).sort();

/** The permissions that identities can have: all reads, and of each entity everything or one action. */
export const GRANTABLE: readonly string[] = [
  ALL_READS,
  ...new Set(actions.flatMap((action) => [action.slice(0, action.indexOf('.')), action])),
];
