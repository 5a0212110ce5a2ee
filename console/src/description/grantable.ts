import { description } from './description.js';

const ALL_READS = 'admin_readonly';

/** Each alone, of operations that need several: `identity.read+service.read`. */
const needed = Object.values(description.permissions)
  .flatMap((byOperation) => Object.values(byOperation))
  .flatMap((permissions) => permissions.split('+'));

const actions = needed.filter((each) => /^(?!admin\.).+\./.test(each));
const entities = actions.map((action) => action.slice(0, action.indexOf('.')));

/** The permissions that identities can have: all reads, and of each entity everything or one action. */
export const GRANTABLE: readonly string[] = [
  ALL_READS,
  ...[...new Set([...entities, ...actions])].sort(),
];
