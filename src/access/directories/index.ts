export { deleteDirectory, type DeletedWithDirectory } from './delete-directory.js';
export {
  reportDevice,
  reportedDevice,
  withdrawReport,
  type DeviceReport,
  type ReportedDevice,
} from './device-reports.js';
export { openDirectory, type DirectoryScope } from './directory-scope.js';
export {
  directoryOfToken,
  issueTokenIn,
  type IssuedDirectoryToken,
  type NewDirectoryToken,
} from './directory-tokens.js';
export {
  addMembers,
  allGroups,
  changeGroup,
  createGroup,
  deleteGroup,
  membersOf,
  removeMembers,
  replaceMembers,
  type WrittenGroup,
} from './directory-groups.js';
export { allUsers, changeUser, createUser, deleteUser } from './directory-users.js';
export { disableBehindDirectoryIn } from './user-disabling.js';
export { memberOf, only, without } from './json-members.js';
export {
  patched,
  patchOperations,
  patchPath,
  withPaths,
  type PatchOperation,
} from './patch-operations.js';
export { releaseGroupIn, releaseUserIn } from './release.js';
export { removeDeletedUsers } from './remove-deleted-users.js';
export { invalidValue, ScimError, unknownResource } from './scim-error.js';
export {
  attributesIn,
  equalitiesOf,
  matchesFilter,
  parseFilter,
  type Equality,
  type Filter,
} from './scim-filter.js';
export {
  nameIn,
  optionalText,
  refuseLarge,
  scimForm,
  writtenUser,
  type WrittenUser,
} from './written-user.js';
